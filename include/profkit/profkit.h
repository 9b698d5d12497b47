/**
 * \file profkit.h
 * The C interface of libprofkit: opens the profiles that machine-learning accelerators write.
 *
 * Conventions, which hold for every function:
 *  - C99, no dependency but <stddef.h> and <stdint.h>; every function is `noexcept` in C++.
 *  - A function that can fail returns pk_status and has `pk_error **err` as its last parameter. `err` may be
 *    NULL. Otherwise `*err` is overwritten: NULL on PK_OK and PK_END, else an error that the caller frees.
 *  - "Errors:" in a comment lists what a function fails with, beside what any can: PK_E_INVALID_ARGUMENT for a NULL where an
 *    object is needed and for an option out of range, PK_E_UNSUPPORTED for an option of a newer release,
 *    PK_E_OUT_OF_MEMORY, and PK_E_INTERNAL. A function without `err` does not fail: of NULL a count is 0 and a name "".
 *  - `T **out` is owned by the caller and is NULL after a failure; `T *out` is zeroed by a failure. A pointer
 *    that is returned, and every pk_str, is borrowed from the handle it came from and lives as long as that.
 *  - "Ownership:" in a comment says who ends what is handed out, and how long what is borrowed lives ("static": for ever).
 *    What is handed in (text, structs, arrays, handles, callbacks) is used during the call alone, unless that line says
 *    more. `_free()` ends a handle and what was borrowed from it; `_free(NULL)` does nothing.
 *  - Files, planes and lines are addressed by position, from 0: their ids repeat in real captures.
 *  - Times are int64 picoseconds (`_ps`) relative to the capture's origin, unless a name ends in `_ns`.
 *  - Option structs begin with `struct_size`. Zero is the default of every other field: start from their _INIT macro, or
 *    from zeroes. What a newer caller's struct has more must be zero, as must unknown flags: else PK_E_UNSUPPORTED.
 *    Structs without `struct_size` are frozen: new facts come as new functions.
 *  - Handles are immutable: any number of threads may read one at a time, and free it. A cursor, a pk_chrome_reader, a
 *    pk_probe_records, a pk_table, a pk_trace_builder, a pk_xspace_writer or an Arrow stream belongs to one thread at a time.
 *  - There is no global state. Nothing is printed, no environment variable is read, and no thread is started
 *    unless pk_hooks::threads asks for it.
 *  - Callbacks must return: no longjmp, no exception.
 */
#ifndef PROFKIT_PROFKIT_H
#define PROFKIT_PROFKIT_H

#include <stddef.h>
#include <stdint.h>

/** Marks an exported function. PK_BUILDING: set by the library's own build. PK_STATIC: set it when linking the
 *  static library on Windows. */
#if defined(_WIN32) && defined(PK_BUILDING)
#define PK_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(PK_STATIC)
#define PK_API __declspec(dllimport)
#elif defined(__GNUC__)
#define PK_API __attribute__((visibility("default")))
#else
#define PK_API
#endif

#ifdef __cplusplus
#define PK_NOEXCEPT noexcept
extern "C" {
#else
#define PK_NOEXCEPT
#endif

/* ---- version ------------------------------------------------------------------------------------------- */

/** Version of this header. \since 0.1 */
#define PK_VERSION_MAJOR 0
#define PK_VERSION_MINOR 1
#define PK_VERSION_PATCH 0
/** As one number that grows with every release. \since 0.1 */
#define PK_VERSION_NUMBER (PK_VERSION_MAJOR * 1000000 + PK_VERSION_MINOR * 1000 + PK_VERSION_PATCH)

/** Says which library was loaded: its PK_VERSION_NUMBER. \since 0.1 */
PK_API uint32_t pk_version_number(void) PK_NOEXCEPT;
/** Says which library was loaded: "MAJOR.MINOR.PATCH". Ownership: static. \since 0.1 */
PK_API const char* pk_version_string(void) PK_NOEXCEPT;

/* ---- status and errors --------------------------------------------------------------------------------- */

/** How a call ended: 0, PK_END, or a negative PK_E_ constant. New negative values may come: treat every
 *  negative value as a failure. \since 0.1 */
typedef int32_t pk_status;
/** What is no failure. \since 0.1 */
enum { PK_OK = 0, PK_END = 1 /**< nothing is left to read */ };
/* enum fault_code: written by scripts/generate */
/** What went wrong, in groups of ten. More may come. \since 0.1 */
enum {
  /** misuse: NULL, an index out of range, a name that is not there, options that contradict each other */
  PK_E_INVALID_ARGUMENT = -1,
  PK_E_OUT_OF_MEMORY = -2,    /**< no memory was left */
  PK_E_UNSUPPORTED = -3,      /**< valid input or an option that this version cannot handle */
  PK_E_CANCELLED = -4,        /**< a callback or the cancel token asked to stop */
  PK_E_INTERNAL = -9,         /**< a bug of the library */
  PK_E_NOT_FOUND = -10,       /**< no such path, or no such metadata entry */
  PK_E_PERMISSION = -11,      /**< the operating system does not let this file be read */
  PK_E_IO = -12,              /**< the operating system or the read callback refused a read */
  PK_E_INPUT_CHANGED = -13,   /**< the input shrank or changed while it was read */
  PK_E_DAMAGED = -20,         /**< bytes that break the format; the byte offset says where */
  PK_E_UNRECOGNISED = -21,    /**< no reader knows these bytes */
  PK_E_TEXT_MANGLED = -22,    /**< a binary file that went through a text conversion (EF BF BD everywhere) */
  PK_E_LIMIT = -30,           /**< a bound of the limits was hit; the message names it */
  PK_E_OUTPUT = -40,          /**< writing failed */
  PK_E_OUTPUT_FULL = -41      /**< no space is left for the output */
};
/* end of enum fault_code */

/** The name of a status as JSON error documents have it: "ok", "end", "damaged", "not_found", …; "internal" for an unknown
 *  value. Ownership: static. \since 0.1 */
PK_API const char* pk_status_name(pk_status status) PK_NOEXCEPT;

/** What went wrong, where, and what to do. Immutable; may be used and freed by any thread. \since 0.1 */
typedef struct pk_error pk_error;

/** The value of pk_error_byte_offset() when no offset is known. \since 0.1 */
#define PK_NO_OFFSET UINT64_MAX

/** The status that the failed call returned; PK_OK for NULL. \since 0.1 */
PK_API pk_status pk_error_code(const pk_error* error) PK_NOEXCEPT;
/** What happened, to which file, and what was expected, in English, one line, NUL-terminated: enough to be printed alone. A path
 *  that pk_error_path() has stands in it. "" for NULL. Ownership: borrowed from `error`. \since 0.1 */
PK_API const char* pk_error_message(const pk_error* error) PK_NOEXCEPT;
/** Path or label of the input; "" when none is involved. Ownership: borrowed from `error`. \since 0.1 */
PK_API const char* pk_error_path(const pk_error* error) PK_NOEXCEPT;
/** Position in the decoded bytes of pk_error_path(); PK_NO_OFFSET when unknown. \since 0.1 */
PK_API uint64_t pk_error_byte_offset(const pk_error* error) PK_NOEXCEPT;
/** What to do next; "" when there is nothing to advise. Ownership: borrowed from `error`. \since 0.1 */
PK_API const char* pk_error_hint(const pk_error* error) PK_NOEXCEPT;
/** Frees an error that a call wrote through `err`. Never free one that was returned. \since 0.1 */
PK_API void pk_error_free(pk_error* error) PK_NOEXCEPT;

/* ---- what a host hands in ------------------------------------------------------------------------------ */

/** A run of bytes, text unless said otherwise: not NUL-terminated, borrowed. Text comes as it stands in the
 *  file and need not be valid UTF-8. `data` may be NULL when `size` is 0. Frozen. \since 0.1 */
typedef struct pk_str {
  const char* data;
  size_t size;
} pk_str;

/** Lets any thread stop work that another thread is doing. Ownership: who made it frees it, when the calls that were given it
 *  have returned. \since 0.1 */
typedef struct pk_cancel_token pk_cancel_token;
/** Makes a token that has not been cancelled. Ownership: the caller ends `*out` with pk_cancel_token_free(). Errors:
 *  PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_cancel_token_new(pk_cancel_token** out, pk_error** err) PK_NOEXCEPT;
/** Stops, with PK_E_CANCELLED, every call that was given this token, now or later. Any thread. \since 0.1 */
PK_API void pk_cancel_token_cancel(pk_cancel_token* token) PK_NOEXCEPT;
/** Frees a token that no running call uses. \since 0.1 */
PK_API void pk_cancel_token_free(pk_cancel_token* token) PK_NOEXCEPT;

/* enum log_level: written by scripts/generate */
/** Levels of pk_hooks::log. \since 0.1 */
enum {
  PK_LOG_INFO = 1,    /**< worth knowing */
  PK_LOG_WARNING = 2  /**< something is left out */
};
/** What documents call a value of these; "warning" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_log_level_name(int32_t value) PK_NOEXCEPT;
/* end of enum log_level */

/** What a call may do on the host's behalf. Used during the call it is given to, never after. `log` and `progress`
 *  are called by one thread at a time, which with `threads` > 1 need not be the calling one. \since 0.1 */
typedef struct pk_hooks {
  uint32_t struct_size; /**< sizeof(pk_hooks) */
  uint32_t threads;     /**< threads to work with; 0 and 1: the calling one. Results do not depend on it */
  void* user;           /**< handed to `log` and `progress` */
  /** Receives remarks of level PK_LOG_; `message` is NUL-terminated and borrowed. May be NULL. */
  void (*log)(void* user, int32_t level, const char* message);
  /** Called at most every 50 ms while work lasts; `total_bytes` is 0 when unknown. Non-zero stops the work
   *  with PK_E_CANCELLED. May be NULL. */
  int32_t (*progress)(void* user, uint64_t done_bytes, uint64_t total_bytes);
  const pk_cancel_token* cancel; /**< may be NULL */
} pk_hooks;
/** \since 0.1 */
#define PK_HOOKS_INIT \
  { sizeof(pk_hooks), 0, NULL, NULL, NULL, NULL }

/** Bounds on what hostile or broken input can make the library do. 0 is the default, UINT64_MAX no bound. What
 *  goes over one is PK_E_LIMIT, and the message names the field. \since 0.1 */
typedef struct pk_limits {
  uint32_t struct_size;             /**< sizeof(pk_limits) */
  uint32_t max_nesting;             /**< depth of messages, JSON and tuple shapes; default 100, at most 1000 */
  uint64_t max_materialised_bytes;  /**< decoded bytes of one file held in memory; default 8 GiB */
  uint64_t max_decompression_ratio; /**< decoded / encoded bytes, past ratio_free_bytes; default 1100 */
  uint64_t ratio_free_bytes;        /**< decoded bytes before the ratio is looked at; default 1 GiB */
  uint64_t max_string_bytes;        /**< one JSON string or text line; default 64 MiB */
  uint64_t max_files;               /**< files looked at below one directory; default 100 000 */
} pk_limits;
/** \since 0.1 */
#define PK_LIMITS_INIT \
  { sizeof(pk_limits), 0, 0, 0, 0, 0, 0 }

/** Flags of pk_filters: which of the filters that have no neutral value are set. \since 0.1 */
enum { PK_FILTER_HAS_STEP = 1, PK_FILTER_HAS_FROM = 2, PK_FILTER_HAS_TO = 4 };

/** Which part of a capture to look at. Texts are substrings; NULL and "" match everything. What takes filters says which; one
 *  that is set and not taken is PK_E_INVALID_ARGUMENT. \since 0.1 */
typedef struct pk_filters {
  uint32_t struct_size; /**< sizeof(pk_filters) */
  uint32_t flags;       /**< PK_FILTER_HAS_ */
  const char* host;     /**< hosts */
  const char* plane;    /**< planes of an XSpace; of what is about devices, the names of those */
  const char* line;     /**< lines of a plane, threads and streams */
  const char* name;     /**< events, ops, modules; of what is about steps, the names of those */
  uint64_t step;        /**< position of a step among those of its device; with PK_FILTER_HAS_STEP */
  int64_t from_ps;      /**< first instant, capture's clock; with PK_FILTER_HAS_FROM */
  int64_t to_ps;        /**< first instant after; with PK_FILTER_HAS_TO */
} pk_filters;
/** \since 0.1 */
#define PK_FILTERS_INIT \
  { sizeof(pk_filters), 0, NULL, NULL, NULL, NULL, 0, 0, 0 }

/* ---- profiles ------------------------------------------------------------------------------------------ */

/** An opened capture: its files, held in memory (mapped, or decoded) and indexed. Immutable and
 *  reference-counted. Functions that read it take `const pk_profile *`; those that keep a reference do not.
 *  \since 0.1 */
typedef struct pk_profile pk_profile;

/* enum io_mode: written by scripts/generate */
/** How files are reached. \since 0.1 */
enum {
  PK_IO_READ = 0, /**< into memory; a file that another process truncates meanwhile is PK_E_INPUT_CHANGED */
  /** maps local files above 512 KiB, which takes less memory; truncated under the mapping, such a file raises
     *  SIGBUS */
  PK_IO_MAP = 1
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_io_mode_name(int32_t value) PK_NOEXCEPT;
/* end of enum io_mode */

/** Flags of pk_open_options. \since 0.1 */
enum {
  PK_OPEN_COPY = 1, /**< pk_profile_open_buffer() copies the bytes instead of borrowing them */
  /** Only the documents info and ops will be asked for: each of them reads an XSpace that cannot be mapped (compressed,
   *  a pipe, callbacks) through a window, and pk_limits::max_materialised_bytes bounds no more than its metadata. Any
   *  other question still decodes all of it into memory. Callbacks are then called by the threads that ask. */
  PK_OPEN_ONE_PASS = 2,
  /** Names, paths, hosts and texts that are not public get aliases before anything else sees them, and environment dumps and what
   *  cannot be looked into are left out: every answer can be shared. All files are read at once and held decoded, one_pass
   *  counts no more. PK_E_UNSUPPORTED: Neutrino traces. pk_redaction_write() says what was replaced. */
  PK_OPEN_REDACT = 4,
  /** pk_open_options::rank is set */
  PK_OPEN_HAS_RANK = 8,
  /** The path "-" is standard input. Without it "-" is PK_E_INVALID_ARGUMENT: the host may need its standard input itself. */
  PK_OPEN_STANDARD_INPUT = 16
};

/** \since 0.1 */
typedef struct pk_open_options {
  uint32_t struct_size;    /**< sizeof(pk_open_options) */
  uint32_t flags;          /**< PK_OPEN_ bits */
  int32_t io;              /**< PK_IO_ */
  int32_t rank;            /**< of buffers and callbacks: the rank in its run; with PK_OPEN_HAS_RANK */
  const char* run;         /**< in a parent of runs: NULL or "" the newest, "all" every one, else a folder name */
  const pk_limits* limits; /**< NULL: the defaults */
  const pk_hooks* hooks;   /**< NULL: none */
  /** Of buffers and callbacks: the name of the machine. It and the rank count before what the file says, in every table, document
   *  and merge. NULL, "": what the file says */
  const char* host;
} pk_open_options;
/** \since 0.1 */
#define PK_OPEN_OPTIONS_INIT \
  { sizeof(pk_open_options), 0, PK_IO_READ, 0, NULL, NULL, NULL, NULL }

/** Opens a file ("-": PK_OPEN_STANDARD_INPUT), a run directory, or a parent of runs. `options` may be NULL. A damaged file keeps what
 *  is intact and reports the rest through pk_file_damage(), and so does an unreadable file among several. Ownership: the caller
 *  ends `*out` with pk_profile_free(). Errors: PK_E_NOT_FOUND (nothing at the path, or a directory without a profile),
 *  PK_E_PERMISSION, PK_E_IO, PK_E_INVALID_ARGUMENT (no such run: the message lists them), PK_E_CANCELLED, and what kept the
 *  only file from being read at all. \since 0.1 */
PK_API pk_status pk_profile_open(const char* path, const pk_open_options* options, pk_profile** out,
                                 pk_error** err) PK_NOEXCEPT;

/** Opens one file that lies in memory. `label` stands for the path in messages and helps to recognise the format
 *  ("vm.xplane.pb"); NULL is "". Ownership: the caller ends `*out` with pk_profile_free(); `data` is borrowed until the last
 *  reference is given back, unless PK_OPEN_COPY is set; `label` is copied. Errors: as pk_profile_open(). \since 0.1 */
PK_API pk_status pk_profile_open_buffer(const void* data, size_t size, const char* label,
                                        const pk_open_options* options, pk_profile** out, pk_error** err) PK_NOEXCEPT;

/** Positioned reads of the host. \since 0.1 */
typedef struct pk_read_callbacks {
  uint32_t struct_size; /**< sizeof(pk_read_callbacks) */
  uint32_t reserved;    /**< 0 */
  void* user;           /**< handed to `read_at` */
  /** Writes up to `size` bytes from `offset` on to `into`; gives their number, 0 at the end, and a negative
   *  number on failure (PK_E_IO). Called by the opening thread only, unless PK_OPEN_ONE_PASS is set. */
  int64_t (*read_at)(void* user, uint64_t offset, void* into, size_t size);
  uint64_t size_bytes; /**< of the whole input, still compressed; 0 when unknown */
  /** Called once, after the last read, when it is not NULL: what `user` needs may end then. Without PK_OPEN_ONE_PASS, and when
   *  opening fails, that is before pk_profile_open_callbacks() returns; else the thread that gives the last reference back calls
   *  it. Not called when `struct_size` is refused. */
  void (*release)(void* user);
} pk_read_callbacks;
/** \since 0.1 */
#define PK_READ_CALLBACKS_INIT \
  { sizeof(pk_read_callbacks), 0, NULL, NULL, 0, NULL }

/** Opens one file through callbacks. `label` as in pk_profile_open_buffer(). Ownership: the caller ends `*out` with
 *  pk_profile_free(); the callbacks are used during this call alone, with PK_OPEN_ONE_PASS until the last reference is given
 *  back, and pk_read_callbacks::release says when; the struct and `label` are copied. Errors: as pk_profile_open(). \since 0.1 */
PK_API pk_status pk_profile_open_callbacks(const pk_read_callbacks* callbacks, const char* label,
                                           const pk_open_options* options, pk_profile** out,
                                           pk_error** err) PK_NOEXCEPT;

/** Takes one more reference and returns `profile`; NULL for NULL. Ownership: each reference is given back by pk_profile_free().
 *  \since 0.1 */
PK_API pk_profile* pk_profile_ref(pk_profile* profile) PK_NOEXCEPT;
/** Gives a reference back; with the last one everything borrowed from the profile ends. \since 0.1 */
PK_API void pk_profile_free(pk_profile* profile) PK_NOEXCEPT;

/** Flags of pk_profile_info. \since 0.1 */
enum {
  PK_PROFILE_HAS_ORIGIN = 1 /**< origin_unix_ns is known */
};

/** Frozen. \since 0.1 */
typedef struct pk_profile_info {
  pk_str path;            /**< as it was given */
  int64_t origin_unix_ns; /**< the capture's origin: the least known origin of its files, ns since 1970 */
  uint64_t ignored_count; /**< files that no reader knows */
  uint32_t file_count;
  uint32_t run_count; /**< runs found below a parent of runs; 0 for a file or a run directory */
  uint32_t flags;     /**< PK_PROFILE_ */
  uint32_t reserved;
} pk_profile_info;
/** What a profile holds as a whole. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (NULL).
 *  \since 0.1 */
PK_API pk_status pk_profile_get(const pk_profile* profile, pk_profile_info* out, pk_error** err) PK_NOEXCEPT;

/* row of runs: written by scripts/generate */
/** A run below a parent of runs, newest first. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_run_info {
  pk_str name; /**< folder name */
  pk_str path; /**< of the folder */
  uint32_t chosen; /**< the profile holds this run's files */
  uint32_t reserved; /**< 0 */
} pk_run_info;
/* end of row of runs */
/** A run by its position, newest first. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such
 *  run). \since 0.1 */
PK_API pk_status pk_run_get(const pk_profile* profile, uint32_t run, pk_run_info* out, pk_error** err) PK_NOEXCEPT;

/* ---- files --------------------------------------------------------------------------------------------- */

/* enum file_family: written by scripts/generate */
/** The format of a file. \since 0.1 */
enum {
  PK_FAMILY_UNKNOWN = 0,
  PK_FAMILY_XSPACE = 1,          /**< *.xplane.pb: tensorflow.profiler.XSpace */
  /** Chrome trace-event JSON (XLA trace.json.gz, perfetto_trace.json.gz, Kineto, Ascend) */
  PK_FAMILY_CHROME_TRACE = 2,
  PK_FAMILY_HLO_PROTO = 3,       /**< *.hlo_proto.pb, *.hlo.pb: xla.HloProto */
  PK_FAMILY_OP_STATS = 4,        /**< ALL_HOSTS.op_stats_v2.pb: named, not analysed; `dump` shows it */
  PK_FAMILY_ASCEND_KERNELS = 5,  /**< kernel_details.csv, op_summary*.csv: a row a kernel of an Ascend NPU */
  PK_FAMILY_ASCEND_TABLE = 6,    /**< step_trace_time.csv, operator_details.csv, op_statistic*.csv */
  PK_FAMILY_ASCEND_JSON = 7,     /**< communication.json, profiler_info*.json, profiler_metadata.json */
  PK_FAMILY_ASCEND_DATABASE = 8, /**< *.db of torch_npu and msprof (SQLite): named, not read */
  /** A Neutrino trace folder, or one of its record files: one "file" of a profile, which has no bytes of its own. */
  PK_FAMILY_NEUTRINO = 16,
  PK_FAMILY_OWN = 17             /**< What a host recorded itself, pk_trace_builder_finish(): a file without bytes. */
};
/* end of enum file_family */
/** The name of a format: "xspace", "chrome_trace", …; "unknown" for an unknown value. Ownership: static. \since 0.1 */
PK_API const char* pk_family_name(int32_t family) PK_NOEXCEPT;

/* enum compression: written by scripts/generate */
/** How the bytes of a file were compressed. \since 0.1 */
enum { PK_COMPRESSION_NONE = 0, PK_COMPRESSION_GZIP = 1, PK_COMPRESSION_ZSTD = 2 };
/** What documents call a value of these; "none" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_compression_name(int32_t value) PK_NOEXCEPT;
/* end of enum compression */

/** Flags of pk_file_info. \since 0.1 */
enum {
  PK_FILE_HAS_ORIGIN = 1 /**< origin_unix_ns is known; a file without one is not shifted */
};

/* row of files: written by scripts/generate */
/** A file of the capture. A row of PK_TABLE_FILES. Filters that the table takes: none. Frozen; text is borrowed
 *  from what gave the row. \since 0.1 */
typedef struct pk_file_info {
  uint32_t file; /**< position in the capture */
  uint32_t reserved; /**< 0 */
  pk_str path; /**< as given */
  pk_str host; /**< host that was recorded, as the file or its name says */
  pk_str run; /**< folder of the run; "" for a file that was given by its path */
  uint64_t encoded_bytes; /**< size on disk */
  int64_t origin_unix_ns; /**< the file's own time zero, since 1970; with PK_FILE_HAS_ORIGIN */
  int64_t shift_ns; /**< added to the file's times to put them on the capture's clock */
  int32_t family; /**< PK_FAMILY_: format */
  int32_t compression; /**< PK_COMPRESSION_: how it is packed */
  int32_t export_of; /**< position of the file that this one repeats; -1: none */
  uint32_t plane_count; /**< 0 when the file is not an XSpace */
  uint32_t flags; /**< PK_FILE_ */
  uint32_t reserved1; /**< 0 */
} pk_file_info;
/* end of row of files */

/** Number of files; 0 for NULL. \since 0.1 */
PK_API uint32_t pk_file_count(const pk_profile* profile) PK_NOEXCEPT;
/** A file by its position. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such file). \since 0.1 */
PK_API pk_status pk_file_get(const pk_profile* profile, uint32_t file, pk_file_info* out, pk_error** err) PK_NOEXCEPT;
/** The decoded bytes of a file: what was intact when it is damaged. XSpace files, and a file opened from a buffer or callbacks,
 *  are read when they are opened; others when this or pk_file_damage() first asks for them. Ownership: the bytes are borrowed
 *  from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such file). \since 0.1 */
PK_API pk_status pk_file_bytes(const pk_profile* profile, uint32_t file, pk_str* out, pk_error** err) PK_NOEXCEPT;
/** Why a file is damaged or unreadable; NULL when it is sound. Damage inside the events of a line shows when they are read, and
 *  in documents. Ownership: borrowed from `profile`: do not free it. \since 0.1 */
PK_API const pk_error* pk_file_damage(const pk_profile* profile, uint32_t file) PK_NOEXCEPT;

/* enum xspace_push_visitor::note_kind: written by scripts/generate */
/** Lists of text that an XSpace carries beside its planes. \since 0.1 */
enum { PK_NOTE_HOSTNAME = 0, PK_NOTE_ERROR = 1, PK_NOTE_WARNING = 2 };
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_note_kind_name(int32_t value) PK_NOEXCEPT;
/* end of enum xspace_push_visitor::note_kind */
/** Number of notes of a kind (PK_NOTE_); 0 when the file is not an XSpace. \since 0.1 */
PK_API uint32_t pk_file_note_count(const pk_profile* profile, uint32_t file, int32_t kind) PK_NOEXCEPT;
/** A note by its kind (PK_NOTE_) and position. Ownership: borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such file
 *  or note). \since 0.1 */
PK_API pk_status pk_file_note_get(const pk_profile* profile, uint32_t file, int32_t kind, uint32_t note, pk_str* out,
                                  pk_error** err) PK_NOEXCEPT;

/* ---- planes -------------------------------------------------------------------------------------------- */

/* enum plane_kind: written by scripts/generate */
/** What a plane (a process in Chrome terms) stands for. \since 0.1 */
enum {
  PK_PLANE_DEVICE = 0,
  PK_PLANE_HOST = 1,
  PK_PLANE_METADATA = 2,    /**< carries compiled modules */
  PK_PLANE_CUSTOM = 3,
  PK_PLANE_ENVIRONMENT = 4,
  PK_PLANE_OTHER = 5
};
/** What documents call a value of these; "other" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_plane_kind_name(int32_t value) PK_NOEXCEPT;
/* end of enum plane_kind */

/* row of planes: written by scripts/generate */
/** A plane of an XSpace. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_plane_info {
  int64_t id; /**< as written; not unique */
  pk_str name; /**< "/device:TPU:0" */
  int32_t kind; /**< PK_PLANE_: what it stands for */
  int32_t device_ordinal; /**< N of "/device:TPU:N"; -1: none */
  uint32_t line_count; /**< lines */
  uint32_t stat_count; /**< facts of the plane itself */
  uint64_t event_metadata_count; /**< entries as written: one that a later one replaces counts, too */
  uint64_t stat_metadata_count; /**< names of stats, as written */
} pk_plane_info;
/* end of row of planes */

/** Number of planes; 0 when the file is not an XSpace. \since 0.1 */
PK_API uint32_t pk_plane_count(const pk_profile* profile, uint32_t file) PK_NOEXCEPT;
/** A plane by its position in an XSpace. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such
 *  plane; the file is no XSpace), and why the file is damaged when it has none. \since 0.1 */
PK_API pk_status pk_plane_get(const pk_profile* profile, uint32_t file, uint32_t plane, pk_plane_info* out,
                              pk_error** err) PK_NOEXCEPT;

/* ---- lines --------------------------------------------------------------------------------------------- */

/* enum line_kind: written by scripts/generate */
/** What the events of a line mean. `derived` lines repeat the time of another line (TC Overlay, Framework Ops,
 *  negative GPU line ids) and are never summed with it. \since 0.1 */
enum {
  PK_LINE_STEPS = 0,
  PK_LINE_MODULES = 1,
  PK_LINE_OPS = 2,
  PK_LINE_ASYNC = 3,
  PK_LINE_STREAM = 4,
  PK_LINE_DERIVED = 5, /**< repeats the time of another line: never sum it with that */
  PK_LINE_COUNTER = 6,
  PK_LINE_THREAD = 7,
  PK_LINE_OTHER = 8
};
/** What documents call a value of these; "other" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_line_kind_name(int32_t value) PK_NOEXCEPT;
/* end of enum line_kind */

/** Flags of pk_line_info. \since 0.1 */
enum {
  PK_LINE_HAS_START = 1 /**< start_ps is known: it fits 64 bits */
};

/* row of lines: written by scripts/generate */
/** What stands before a line's events: cheap to get. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_line_info {
  int64_t id; /**< as written; not unique, and negative on lines derived from a GPU's */
  pk_str name; /**< the name, else the display name where it is known */
  int64_t timestamp_ns; /**< as written: relative to the file's origin, or since 1970 */
  /** the same instant on the capture's clock: event offsets count from here; with PK_LINE_HAS_START */
  int64_t start_ps;
  int32_t kind; /**< PK_LINE_: what its events mean */
  uint32_t flags; /**< PK_LINE_HAS_ */
} pk_line_info;
/* end of row of lines */

/** Number of lines; 0 where there is no such plane. \since 0.1 */
PK_API uint32_t pk_line_count(const pk_profile* profile, uint32_t file, uint32_t plane) PK_NOEXCEPT;
/** A line by its position in its plane. Ownership: text is borrowed from `profile`. Errors: PK_E_INVALID_ARGUMENT (no such
 *  line). \since 0.1 */
PK_API pk_status pk_line_get(const pk_profile* profile, uint32_t file, uint32_t plane, uint32_t line, pk_line_info* out,
                             pk_error** err) PK_NOEXCEPT;

/* row of line summaries: written by scripts/generate */
/** What is known only after a pass over a whole line. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_line_summary {
  uint64_t event_count; /**< those before damage, if there is any */
  int64_t display_id; /**< as written */
  pk_str display_name; /**< as written */
  int64_t duration_ps; /**< as written; 0 in every real file seen */
} pk_line_summary;
/* end of row of line summaries */
/** Hops over the events of a line without decoding them: linear in their number. Ownership: text is borrowed from `profile`.
 *  Errors: PK_E_INVALID_ARGUMENT (no such line). \since 0.1 */
PK_API pk_status pk_line_summarise(const pk_profile* profile, uint32_t file, uint32_t plane, uint32_t line,
                                   pk_line_summary* out, pk_error** err) PK_NOEXCEPT;

/* ---- events -------------------------------------------------------------------------------------------- */

/** Flags of pk_event. \since 0.1 */
enum {
  PK_EVENT_HAS_OFFSET = 1,      /**< offset_ps was written, be it 0 */
  PK_EVENT_HAS_OCCURRENCES = 2, /**< an aggregated event: num_occurrences was written, and there is no time */
  PK_EVENT_HAS_START = 4        /**< start_ps is known: the event is not aggregated and the sum fits 64 bits */
};

/** One event. Frozen. \since 0.1 */
typedef struct pk_event {
  int64_t metadata_id;     /**< for pk_event_metadata_get(); may have no entry */
  int64_t start_ps;        /**< on the capture's clock; 0 without PK_EVENT_HAS_START */
  int64_t offset_ps;       /**< after the line's own zero, as written; 0 when it was not */
  int64_t duration_ps;     /**< 0: an instant */
  int64_t num_occurrences; /**< of an aggregated event, else 0 */
  const void* stats;       /**< for pk_event_stats(), of a capture that arrives pk_stats_begin(); borrowed */
  uint32_t stats_bytes;    /**< 0: the event has no stats of its own */
  uint32_t flags;          /**< PK_EVENT_ */
} pk_event;

/** A position in the events of a line. Lives where the caller puts it, needs no release, and borrows the
 *  profile: using it after the last pk_profile_free() is an error of the caller. Its content is private; a
 *  zeroed cursor is rejected. It may be copied. \since 0.1 */
typedef struct pk_event_cursor {
  uint64_t priv[8];
} pk_event_cursor;

/** Puts a cursor before the first event of a line. Ownership: the cursor borrows `profile` and needs no release. Errors:
 *  PK_E_INVALID_ARGUMENT (no such line). \since 0.1 */
PK_API pk_status pk_events_begin(const pk_profile* profile, uint32_t file, uint32_t plane, uint32_t line,
                                 pk_event_cursor* out, pk_error** err) PK_NOEXCEPT;
/** Reads one event, in the order of the file. PK_END after the last one; PK_E_DAMAGED where the bytes break the format, after
 *  every event before that. Ownership: `out->stats` is borrowed from the cursor's profile. Errors: PK_E_DAMAGED,
 *  PK_E_INVALID_ARGUMENT (a cursor that was not begun). \since 0.1 */
PK_API pk_status pk_event_next(pk_event_cursor* cursor, pk_event* out, pk_error** err) PK_NOEXCEPT;
/** Reads up to `capacity` events and says in `*count` how many; PK_OK means at least one. PK_END and PK_E_DAMAGED come with
 *  none, after everything before was delivered. Ownership: `stats` of the events is borrowed from the cursor's profile. Errors:
 *  PK_E_DAMAGED, PK_E_INVALID_ARGUMENT (a cursor that was not begun; capacity 0). \since 0.1 */
PK_API pk_status pk_events_read(pk_event_cursor* cursor, pk_event* events, size_t capacity, size_t* count,
                                pk_error** err) PK_NOEXCEPT;

/* ---- stats --------------------------------------------------------------------------------------------- */

/* enum stat_kind: written by scripts/generate */
/** The type of a stat's value: the number of the field of XStat that holds it. \since 0.1 */
enum {
  PK_STAT_NONE = 0,   /**< no value was written */
  PK_STAT_DOUBLE = 2,
  PK_STAT_UINT64 = 3,
  PK_STAT_INT64 = 4,
  PK_STAT_STR = 5,
  PK_STAT_BYTES = 6,
  PK_STAT_REF = 7     /**< the name of a stat metadata entry of the same plane */
};
/** What documents call a value of these; "none" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_stat_kind_name(int32_t value) PK_NOEXCEPT;
/* end of enum stat_kind */

/* enum stat_origin: written by scripts/generate */
/** Where a stat was written. Bits: a set of them says which to visit. \since 0.1 */
enum {
  PK_ORIGIN_EVENT = 1,    /**< in the event itself */
  PK_ORIGIN_METADATA = 2, /**< in its metadata entry */
  PK_ORIGIN_PLANE = 4     /**< in the plane */
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_stat_origin_name(int32_t value) PK_NOEXCEPT;
/* end of enum stat_origin */

/** One stat, its names resolved. Frozen. \since 0.1 */
typedef struct pk_stat {
  int64_t metadata_id;
  pk_str name;    /**< "" when the id has no entry */
  pk_str text;    /**< of str, bytes (then it is no text) and ref; else empty */
  uint64_t bits;  /**< of double (IEEE 754), uint64, int64 (two's complement) and ref; else 0 */
  int32_t kind;   /**< PK_STAT_ */
  int32_t origin; /**< PK_ORIGIN_ */
} pk_stat;

/** A position in a list of stats. As pk_event_cursor: by value, borrows the profile. \since 0.1 */
typedef struct pk_stat_cursor {
  uint64_t priv[8];
} pk_stat_cursor;

/** Puts a cursor before the stats of an event that was read from this plane: of the event itself, then of its metadata entry,
 *  then of the plane, as far as `origins` (PK_ORIGIN_ bits) asks for them. Ownership: the cursor borrows `profile` and needs no
 *  release. Errors: PK_E_INVALID_ARGUMENT (no such plane; unknown origins). \since 0.1 */
PK_API pk_status pk_event_stats(const pk_profile* profile, uint32_t file, uint32_t plane, const pk_event* event,
                                uint32_t origins, pk_stat_cursor* out, pk_error** err) PK_NOEXCEPT;
/** Finds one stat of an event by its name, in the order of pk_event_stats(): the first of that name. Ownership: text is borrowed from
 *  `profile`. Errors: PK_E_NOT_FOUND (it has none of that name), PK_E_DAMAGED (before one was found), PK_E_INVALID_ARGUMENT (no such
 *  plane; unknown origins). \since 0.1 */
PK_API pk_status pk_event_stat_find(const pk_profile* profile, uint32_t file, uint32_t plane, const pk_event* event,
                                    uint32_t origins, pk_str name, pk_stat* out, pk_error** err) PK_NOEXCEPT;
/** Puts a cursor before the stats of an event metadata entry. Ownership: the cursor borrows `profile` and needs no release.
 *  Errors: PK_E_NOT_FOUND (no such entry), PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_event_metadata_stats(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id,
                                         pk_stat_cursor* out, pk_error** err) PK_NOEXCEPT;
/** Puts a cursor before the stats of a plane. Ownership: the cursor borrows `profile` and needs no release. Errors:
 *  PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_plane_stats(const pk_profile* profile, uint32_t file, uint32_t plane, pk_stat_cursor* out,
                                pk_error** err) PK_NOEXCEPT;
/** Puts a cursor before the stats of an event by their bytes alone: pk_event::stats of a capture that arrives, or a copy of them.
 *  `names` is a profile with the plane of the event, for names and texts of stats; NULL while it is not known: they are empty
 *  then, `file` and `plane` 0. Ownership: the cursor borrows `stats` and `names` and needs no release. Errors:
 *  PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_stats_begin(const void* stats, size_t size, const pk_profile* names, uint32_t file, uint32_t plane,
                                pk_stat_cursor* out, pk_error** err) PK_NOEXCEPT;
/** Reads one stat, in the order of the file. PK_END after the last one; PK_E_DAMAGED where the bytes break the format.
 *  Ownership: text is borrowed from the cursor's profile. Errors: PK_E_DAMAGED, PK_E_INVALID_ARGUMENT (a cursor that was not
 *  begun). \since 0.1 */
PK_API pk_status pk_stat_next(pk_stat_cursor* cursor, pk_stat* out, pk_error** err) PK_NOEXCEPT;

/* ---- metadata ------------------------------------------------------------------------------------------ */

/* row of event metadata: written by scripts/generate */
/** What the events with one id share. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_event_metadata {
  int64_t id; /**< the key that events name it by */
  pk_str name; /**< of the events */
  pk_str display_name; /**< shorter; "" when there is none */
  pk_str metadata; /**< opaque bytes of the recorder */
  size_t child_count; /**< entries that it names as its children */
} pk_event_metadata;
/* end of row of event metadata */

/* row of stat metadata: written by scripts/generate */
/** What a stat id means. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_stat_metadata {
  int64_t id; /**< the key that stats name it by */
  pk_str name; /**< of the stat */
  pk_str description; /**< as written */
} pk_stat_metadata;
/* end of row of stat metadata */

/** Finds the entry of an id in constant time. Ownership: text is borrowed from `profile`. Errors: PK_E_NOT_FOUND (no such
 *  entry), PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_event_metadata_get(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id,
                                       pk_event_metadata* out, pk_error** err) PK_NOEXCEPT;
/** Writes the first `capacity` child ids of an entry to `ids` (NULL with 0) and the number of all of them to `*count`. Errors:
 *  PK_E_NOT_FOUND (no such entry), PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_event_metadata_children(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id,
                                            int64_t* ids, size_t capacity, size_t* count, pk_error** err) PK_NOEXCEPT;
/** Finds the entry of an id in constant time. Ownership: text is borrowed from `profile`. Errors: PK_E_NOT_FOUND (no such
 *  entry), PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_stat_metadata_get(const pk_profile* profile, uint32_t file, uint32_t plane, int64_t id,
                                      pk_stat_metadata* out, pk_error** err) PK_NOEXCEPT;
/** Finds the id of a stat name (`size` bytes) by looking at every entry: do it once a plane. Errors: PK_E_NOT_FOUND (no such
 *  name), PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_stat_metadata_find(const pk_profile* profile, uint32_t file, uint32_t plane, const char* name,
                                       size_t size, int64_t* id, pk_error** err) PK_NOEXCEPT;

/** A position in the metadata entries of a plane. As pk_event_cursor: by value, borrows the profile. \since 0.1 */
typedef struct pk_metadata_cursor {
  uint64_t priv[8];
} pk_metadata_cursor;

/** Puts a cursor before the first event metadata entry of a plane. Ownership: the cursor borrows `profile` and needs no
 *  release. Errors: PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_event_metadata_begin(const pk_profile* profile, uint32_t file, uint32_t plane,
                                         pk_metadata_cursor* out, pk_error** err) PK_NOEXCEPT;
/** Reads one entry, in the order of the file, each id once. PK_END after the last one. Ownership: text is borrowed from the
 *  cursor's profile. Errors: PK_E_INVALID_ARGUMENT (a cursor that was not begun). \since 0.1 */
PK_API pk_status pk_event_metadata_next(pk_metadata_cursor* cursor, pk_event_metadata* out, pk_error** err) PK_NOEXCEPT;
/** Puts a cursor before the first stat metadata entry of a plane. Ownership: the cursor borrows `profile` and needs no release.
 *  Errors: PK_E_INVALID_ARGUMENT (no such plane). \since 0.1 */
PK_API pk_status pk_stat_metadata_begin(const pk_profile* profile, uint32_t file, uint32_t plane,
                                        pk_metadata_cursor* out, pk_error** err) PK_NOEXCEPT;
/** Reads one entry, in the order of the file, each id once. PK_END after the last one. Ownership: text is borrowed from the
 *  cursor's profile. Errors: PK_E_INVALID_ARGUMENT (a cursor that was not begun). \since 0.1 */
PK_API pk_status pk_stat_metadata_next(pk_metadata_cursor* cursor, pk_stat_metadata* out, pk_error** err) PK_NOEXCEPT;

/* ---- modules ------------------------------------------------------------------------------------------- */

/** The compiled modules of a capture: those embedded in XSpace files and those in files of their own, largest
 *  first. Immutable; holds a reference to its profile. \since 0.1 */
typedef struct pk_module_list pk_module_list;

/* enum sibling_state: written by scripts/generate */
/** How an embedded module compares with a *.hlo_proto.pb beside the XSpace. \since 0.1 */
enum {
  PK_SIBLING_NONE = 0,
  PK_SIBLING_SAME_BYTES = 1,
  PK_SIBLING_SAME_CONTENT = 2, /**< other bytes, the same computations */
  PK_SIBLING_DIFFERS = 3
};
/** What documents call a value of these; "none" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_sibling_state_name(int32_t value) PK_NOEXCEPT;
/* end of enum sibling_state */

/** Flags of pk_module_info. \since 0.1 */
enum { PK_MODULE_DAMAGED = 1 /**< the bytes do not parse, and the counts cover what did */ };

/* row of modules: written by scripts/generate */
/** A compiled module. A row of PK_TABLE_MODULES. Filters that the table takes: host, name. Frozen; text is
 *  borrowed from what gave the row. \since 0.1 */
typedef struct pk_module_info {
  uint32_t file; /**< position of the file */
  uint32_t reserved; /**< 0 */
  int64_t metadata_id; /**< of the event metadata entry that carries it */
  pk_str name; /**< as the entry or the file name says */
  pk_str module_name; /**< as the module itself says */
  int64_t module_id; /**< as the module itself says */
  uint64_t computation_count; /**< computations */
  uint64_t instruction_count; /**< instructions of all computations */
  pk_str hlo_proto; /**< the serialized xla.HloProto */
  pk_str sibling_path; /**< the *.hlo_proto.pb beside it; "" when there is none */
  int32_t plane; /**< position of the plane that carries it; -1: a file of its own */
  int32_t sibling; /**< PK_SIBLING_: how the two compare */
  uint32_t flags; /**< PK_MODULE_ */
  uint32_t reserved1; /**< 0 */
} pk_module_info;
/* end of row of modules */

/** Finds and counts the modules of a profile. `hooks` may be NULL. Ownership: the caller ends `*out` with
 *  pk_module_list_free(); it holds a reference to `profile`. Errors: PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. A capture without
 *  modules is no failure. \since 0.1 */
PK_API pk_status pk_module_list_open(pk_profile* profile, const pk_hooks* hooks, pk_module_list** out,
                                     pk_error** err) PK_NOEXCEPT;
/** Number of modules; 0 for NULL. \since 0.1 */
PK_API size_t pk_module_count(const pk_module_list* modules) PK_NOEXCEPT;
/** A module by its position, largest first. Ownership: text and bytes are borrowed from `modules`. Errors:
 *  PK_E_INVALID_ARGUMENT (no such module). \since 0.1 */
PK_API pk_status pk_module_get(const pk_module_list* modules, size_t module, pk_module_info* out,
                               pk_error** err) PK_NOEXCEPT;
/** Why a module does not parse; NULL when it does. Ownership: borrowed from `modules`: do not free it. \since 0.1 */
PK_API const pk_error* pk_module_damage(const pk_module_list* modules, size_t module) PK_NOEXCEPT;
/** Frees the list; NULL is fine. Rows and bytes that were taken from it end with it. \since 0.1 */
PK_API void pk_module_list_free(pk_module_list* modules) PK_NOEXCEPT;

/* ---- chrome events ------------------------------------------------------------------------------------- */

/** Reads the events of a trace-event JSON file in the order of the file. Holds a reference to its profile. One thread at a
 *  time. \since 0.1 */
typedef struct pk_chrome_reader pk_chrome_reader;

/** Flags of pk_chrome_event. \since 0.1 */
enum {
  PK_CHROME_HAS_START = 1,
  PK_CHROME_HAS_DURATION = 2,
  PK_CHROME_PID_IS_STRING = 4, /**< written "7", not 7 */
  PK_CHROME_TID_IS_STRING = 8
};

/* row of chrome events: written by scripts/generate */
/** One event of a trace-event JSON file. Text has its escapes undone. Frozen; text is borrowed until the next
 *  read. \since 0.1 */
typedef struct pk_chrome_event {
  pk_str name; /**< as recorded */
  pk_str category; /**< as recorded */
  pk_str id; /**< of asynchronous and flow events */
  pk_str pid; /**< a number or a string, as written */
  pk_str tid; /**< a number or a string, as written */
  pk_str args; /**< JSON text of the args object, as written; "" when there is none */
  int64_t start_ps; /**< relative to zero_us of the summary; never of M events; with PK_CHROME_HAS_START */
  int64_t duration_ps; /**< as recorded; with PK_CHROME_HAS_DURATION */
  uint64_t byte_offset; /**< of the event in the decoded file */
  int32_t phase; /**< 'X', 'B', 'M', …; 0 when it is not one character */
  uint32_t flags; /**< PK_CHROME_ */
} pk_chrome_event;
/* end of row of chrome events */

/** Puts a reader before the first event of a file of family PK_FAMILY_CHROME_TRACE. Ownership: the caller ends `*out` with
 *  pk_chrome_free(); it holds a reference to `profile`. Errors: PK_E_UNSUPPORTED for another family; what kept the file from
 *  being read. \since 0.1 */
PK_API pk_status pk_chrome_open(pk_profile* profile, uint32_t file, pk_chrome_reader** out, pk_error** err) PK_NOEXCEPT;
/** Reads up to `capacity` events, in bounded memory, and says in `*count` how many; PK_OK means at least one. What is broken is
 *  passed over: PK_E_DAMAGED comes instead of PK_END, after all that was intact. Ownership: text is borrowed from `reader`
 *  until its next read. Errors: PK_E_INVALID_ARGUMENT (capacity 0), PK_E_DAMAGED, PK_E_LIMIT, PK_E_IO. \since 0.1 */
PK_API pk_status pk_chrome_events_read(pk_chrome_reader* reader, pk_chrome_event* events, size_t capacity,
                                       size_t* count, pk_error** err) PK_NOEXCEPT;

/* row of chrome summaries: written by scripts/generate */
/** What a trace-event JSON file was like, as far as it was read. Frozen. \since 0.1 */
typedef struct pk_chrome_summary {
  uint64_t event_count; /**< events */
  uint64_t broken_count; /**< stretches of text that are no event */
  uint64_t unusable_time_count; /**< events whose ts or dur is no number or out of range */
  int64_t zero_us; /**< what 0 of start_ps is on the file's own clock: 0, or whole seconds */
} pk_chrome_summary;
/* end of row of chrome summaries */
/** What was met so far: of the whole file when pk_chrome_events_read() gave PK_END. Errors: PK_E_INVALID_ARGUMENT
 *  (NULL). \since 0.1 */
PK_API pk_status pk_chrome_summarise(const pk_chrome_reader* reader, pk_chrome_summary* out,
                                     pk_error** err) PK_NOEXCEPT;
/** Frees the reader; NULL is fine. Text of its last rows ends with it. \since 0.1 */
PK_API void pk_chrome_free(pk_chrome_reader* reader) PK_NOEXCEPT;

/* ---- kernels ------------------------------------------------------------------------------------------- */

/** What the devices of a capture did: kernels of Ascend tables, Kineto and XLA traces, and XSpace planes. Immutable:
 *  read it from any thread. Holds a reference to its profile. \since 0.1 */
typedef struct pk_activity pk_activity;

/** Flags of pk_activity_options. \since 0.1 */
enum { PK_ACTIVITY_NO_DETAILS = 1 /**< leave shapes and types out */ };

/** What to read. \since 0.1 */
typedef struct pk_activity_options {
  uint32_t struct_size;     /**< sizeof(pk_activity_options) */
  uint32_t flags;           /**< PK_ACTIVITY_ */
  const pk_filters* filters; /**< plane; NULL: everything */
  const char* step_pattern; /**< whole names of the host's step markers, a regular expression of RE2 */
  const pk_hooks* hooks;    /**< NULL: none */
} pk_activity_options;
/** \since 0.1 */
#define PK_ACTIVITY_OPTIONS_INIT \
  { sizeof(pk_activity_options), 0, NULL, NULL, NULL }

/** Reads the activity. `options` may be NULL. A capture without any device is no failure, nor is damage of the input.
 *  Ownership: the caller ends `*out` with pk_activity_free(); it holds a reference to `profile`. Errors: PK_E_INVALID_ARGUMENT,
 *  PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_activity_open(pk_profile* profile, const pk_activity_options* options, pk_activity** out,
                                  pk_error** err) PK_NOEXCEPT;
/** Number of devices that were read; 0 for NULL. \since 0.1 */
PK_API uint32_t pk_activity_device_count(const pk_activity* activity) PK_NOEXCEPT;

/* enum accelerator: written by scripts/generate */
/** What a device is. On GPUs the host's step windows lie far from the kernels that they launched. \since 0.1 */
enum {
  PK_ACCELERATOR_OTHER = 0, /**< none of these */
  PK_ACCELERATOR_TPU = 1,   /**< a TPU */
  PK_ACCELERATOR_GPU = 2,   /**< a GPU */
  PK_ACCELERATOR_NPU = 3    /**< an NPU */
};
/** What documents call a value of these; "other" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_accelerator_name(int32_t value) PK_NOEXCEPT;
/* end of enum accelerator */
/** Flags of pk_activity_device: what its source says of kernels. \since 0.1 */
enum {
  PK_DEVICE_HAS_WAITS = 1,
  PK_DEVICE_HAS_SHAPES = 2,
  PK_DEVICE_HAS_CLASSES = 4, /**< the execution unit; without it classes follow from names */
  PK_DEVICE_HAS_LAUNCHES = 8
};

/* row of activity devices: written by scripts/generate */
/** A device of one rank, process or file. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_activity_device {
  pk_str name; /**< as recorded */
  int64_t ordinal; /**< its number on its machine; -1: not recorded */
  uint64_t kernel_count; /**< kernels */
  int64_t timestamp_resolution_ps; /**< of its times */
  uint32_t file; /**< position of the file */
  int32_t plane; /**< position of its plane in an XSpace; -1 in other files */
  int32_t rank; /**< rank in a distributed run; -1: not recorded */
  uint32_t host_group; /**< devices of one host have the same */
  int32_t accelerator; /**< PK_ACCELERATOR_: what it is */
  uint32_t flags; /**< PK_DEVICE_ */
} pk_activity_device;
/* end of row of activity devices */
/** A device by its position among those that were read. Ownership: text is borrowed from `activity`. Errors:
 *  PK_E_INVALID_ARGUMENT (no such device). \since 0.1 */
PK_API pk_status pk_activity_device_get(const pk_activity* activity, uint32_t device, pk_activity_device* out,
                                        pk_error** err) PK_NOEXCEPT;

/* enum kernel_class: written by scripts/generate */
/** What a kernel counts as. \since 0.1 */
enum {
  PK_KERNEL_COMPUTE = 0, /**< computation */
  PK_KERNEL_AICPU = 1,   /**< Ascend's host-like core */
  PK_KERNEL_COMM = 2,    /**< communication */
  PK_KERNEL_COPY = 3,    /**< a memory copy or set */
  PK_KERNEL_OTHER = 4    /**< none of these; or its name is not on record */
};
/** What documents call a value of these; "other" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_kernel_class_name(int32_t value) PK_NOEXCEPT;
/* end of enum kernel_class */
/** Flags of pk_kernel_row. \since 0.1 */
enum {
  PK_KERNEL_ON_AICPU = 1,
  PK_KERNEL_HAS_STREAM = 2,
  PK_KERNEL_DUPLICATE = 4, /**< the same collective was listed twice: not to be summed */
  PK_KERNEL_IN_FLIGHT = 64, /**< an asynchronous copy from its start to its arrival: no time of the device */
  PK_KERNEL_HAS_WAIT = 256,
  PK_KERNEL_HAS_LAUNCH = 512
};

/* row of kernels: written by scripts/generate */
/** One execution of a kernel (on TPUs: of an op). A row of PK_TABLE_KERNELS. Filters that the table takes: plane.
 *  Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_kernel_row {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices */
  int64_t stream; /**< hardware id; -1 where it is not on record; with PK_KERNEL_HAS_STREAM */
  pk_str name; /**< as recorded */
  pk_str op_type; /**< as recorded, else taken from the name */
  pk_str core; /**< execution unit as written; "" when the source has none */
  pk_str step_id; /**< of the table's own column; "" without one */
  int64_t start_ps; /**< capture's clock */
  int64_t duration_ps; /**< on the timeline */
  int64_t wait_ps; /**< the source's own wait column; with PK_KERNEL_HAS_WAIT */
  int64_t launch_ps; /**< when the host launched it; with PK_KERNEL_HAS_LAUNCH */
  pk_str input_shapes; /**< as recorded */
  pk_str output_shapes; /**< as recorded */
  pk_str input_types; /**< as recorded */
  pk_str framework_op; /**< innermost operator of the framework that launched it: "aten::addmm", "dot_general" */
  pk_str outer_op; /**< outermost operator around that: "aten::linear" */
  pk_str module; /**< modules around the launch, from outside in: "BertModel_0/Linear_3" */
  pk_str range; /**< marked ranges that were open at the launch, from outside in: "forward > attention" */
  pk_str source; /**< line of code that is not the framework's: "model.py(31): forward" */
  pk_str phase; /**< of a training step: forward, recomputation, backward or optimizer */
  pk_str program; /**< compiled program that it is of: "jit_f(7)" */
  uint64_t source_row; /**< line of a table, ordinal of a JSON event, byte offset in an XSpace */
  int32_t kind; /**< PK_KERNEL_: what it counts as */
  uint32_t flags; /**< PK_KERNEL_ */
} pk_kernel_row;
/* end of row of kernels */

/** Frees the activity; NULL is fine. Tables that were made of it live on. \since 0.1 */
PK_API void pk_activity_free(pk_activity* activity) PK_NOEXCEPT;

/* ---- documents ----------------------------------------------------------------------------------------- */

/* enum document: written by scripts/generate */
/** The JSON documents, byte for byte those of `profkit <command> --json`. \since 0.1 */
enum {
  PK_DOCUMENT_REPORT = 1,
  PK_DOCUMENT_INFO = 2,
  PK_DOCUMENT_TREE = 3,
  PK_DOCUMENT_METADATA = 4,
  PK_DOCUMENT_STEPS = 5,
  PK_DOCUMENT_OPS = 6,
  PK_DOCUMENT_MODULES = 7,
  PK_DOCUMENT_FRAMEWORK = 8,
  PK_DOCUMENT_COLLECTIVES = 9,
  PK_DOCUMENT_MEMORY = 10,
  PK_DOCUMENT_BUBBLES = 11,
  PK_DOCUMENT_ARCHITECTURE = 12,
  PK_DOCUMENT_NEUTRINO = 20,
  PK_DOCUMENT_BRIEF = 21,        /**< Of a report what matters most, in 16 KB, with the commands for more. */
  PK_DOCUMENT_OP_GROUPS = 23,    /**< Ops summed by operator, or by what pk_document_options::of says. */
  /** The findings of a report with their ids; of one of them: pk_document_options::of. */
  PK_DOCUMENT_EXPLAIN = 22
};
/* end of enum document */
/** The command that writes a document: "report", "info", …; "" for an unknown value. Ownership: static. \since 0.1 */
PK_API const char* pk_document_name(int32_t document) PK_NOEXCEPT;

/* enum document_status: written by scripts/generate */
/** How a document ended, which decides the command's exit code. \since 0.1 */
enum {
  PK_DOCUMENT_STATUS_OK = 0,      /**< all is well */
  PK_DOCUMENT_STATUS_PARTIAL = 1, /**< some input was damaged; what was intact is shown */
  PK_DOCUMENT_STATUS_ABSENT = 2,  /**< the capture has nothing of this kind; `reason` says why */
  PK_DOCUMENT_STATUS_ERROR = 3    /**< nothing usable */
};
/** What documents call a value of these; "error" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_document_status_name(int32_t value) PK_NOEXCEPT;
/* end of enum document_status */

/** The value of a limit that stands for the command's default: 100 rows of each list, nested ones too, or what
 *  docs/documents.md says of the document. Up to it a document takes 1 MB at most, whatever the capture: lists end
 *  earlier then, and long texts are cut. `limited`, which ends each document, says what was left out. \since 0.1 */
#define PK_LIMIT_DEFAULT 0
/** The value of a limit that is none: everything. \since 0.1 */
#define PK_LIMIT_NONE UINT64_MAX

/** Which part of a capture to look at, and how much of it to show. \since 0.1 */
typedef struct pk_document_options {
  uint32_t struct_size;      /**< sizeof(pk_document_options) */
  uint32_t flags;            /**< 0 */
  const pk_filters* filters; /**< all of them; NULL: everything */
  uint64_t limit;            /**< rows a list; 0: the default; PK_LIMIT_NONE: all */
  uint64_t max_bytes;        /**< the most the document takes: lists end early for it, and texts of 300 bytes. What stands around
                                  the lists takes up to 20,000, of PK_DOCUMENT_REPORT more. 0: the document's own bound */
  const pk_hooks* hooks;     /**< NULL: none */
  /** What of the capture a document is about; NULL: all of it.
   *  PK_DOCUMENT_MODULES: a compiled module, by its name or a part of it. With the instructions of its entry computation, which
   *  `limit` counts: `profkit modules --dump NAME --json`.
   *  PK_DOCUMENT_EXPLAIN: a finding, by the id that PK_DOCUMENT_REPORT, _BRIEF or _EXPLAIN has under the same options. With its
   *  evidence and what happened around it, in 8 KB at most: `profkit explain PATH ID --json`.
   *  PK_DOCUMENT_OP_GROUPS: what ops are summed by, in the words of pk_group_key_name(); several with commas between them make a
   *  tree: `profkit ops PATH --by KEYS --json`. NULL: by operator. */
  const char* of;
} pk_document_options;
/** \since 0.1 */
#define PK_DOCUMENT_OPTIONS_INIT \
  { sizeof(pk_document_options), 0, NULL, 0, 0, NULL, NULL }

/** Receives the next bytes of a document, on the calling thread. Non-zero stops with PK_E_CANCELLED.
 *  \since 0.1 */
typedef int32_t (*pk_write_callback)(void* user, const void* data, size_t size);

/** Writes a document (PK_DOCUMENT_) of a profile. `options` and `status` may be NULL; `*status` becomes a
 *  PK_DOCUMENT_STATUS_. Damage of the input is reported in the document and is no failure of this call.
 *  Errors: PK_E_INVALID_ARGUMENT, PK_E_NOT_FOUND (no such module or finding: the hint names those there are), PK_E_CANCELLED,
 *  PK_E_LIMIT, PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_document_write(const pk_profile* profile, int32_t document, const pk_document_options* options,
                                   pk_write_callback write, void* user, int32_t* status, pk_error** err) PK_NOEXCEPT;
/** The same into a file, which appears under its name when it is complete. A file of the profile is not replaced. `status` may be
 *  NULL. Errors: as pk_document_write(), and PK_E_INVALID_ARGUMENT (the path is that of an input), PK_E_PERMISSION, PK_E_OUTPUT,
 *  PK_E_OUTPUT_FULL. \since 0.1 */
PK_API pk_status pk_document_write_file(const pk_profile* profile, int32_t document, const pk_document_options* options,
                                        const char* path, int32_t* status, pk_error** err) PK_NOEXCEPT;
/** Writes the report as a page for any browser, HTML of 3 MB at most that loads nothing: that of `profkit report PATH -o
 *  NAME.html`. Of the options the filters and the hooks count. `*status` becomes PK_DOCUMENT_STATUS_PARTIAL where something
 *  is damaged, which the page says. Errors: as pk_document_write(). \since 0.1 */
PK_API pk_status pk_page_write(const pk_profile* profile, const pk_document_options* options, pk_write_callback write,
                               void* user, int32_t* status, pk_error** err) PK_NOEXCEPT;
/** Writes what PK_OPEN_REDACT replaced and left out, as JSON, with the word that each alias stands for: for who shares the
 *  capture, not for who gets it (`profkit COMMAND --redact --aliases FILE`). Errors: PK_E_INVALID_ARGUMENT (opened without
 *  PK_OPEN_REDACT), PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_redaction_write(const pk_profile* profile, pk_write_callback write, void* user, pk_error** err) PK_NOEXCEPT;
/** Writes the captures at a path, each to be opened on its own: of a folder every file below it that says what happened and when,
 *  by what it holds, and every folder that is one capture (of a profiler of Ascend, of probes, with a table of kernels). JSON that
 *  repeats an XSpace beside it is left out. A file, and a folder in which nothing is found, is itself the only one: opening it
 *  says why. `write` is given the paths, in their order, with a zero byte after each. Errors: PK_E_INVALID_ARGUMENT,
 *  PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_captures_write(const char* path, pk_write_callback write, void* user, pk_error** err) PK_NOEXCEPT;
/** Writes the document that says why a capture could not be opened (status "error"). Errors:
 *  PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_document_write_error(int32_t document, const pk_error* why, pk_write_callback write, void* user,
                                         pk_error** err) PK_NOEXCEPT;

/* ---- memory -------------------------------------------------------------------------------------------- */

/** Where the memory of a capture goes: what the compiler assigned and what the allocators did. Immutable; holds a
 *  reference to its profile. \since 0.1 */
typedef struct pk_memory pk_memory;

/** Flags of pk_memory_options. \since 0.1 */
enum {
  PK_MEMORY_NO_RUNTIME = 1,         /**< only what the compiler assigned */
  PK_MEMORY_ALL_TRACE = 2,          /**< the whole trace is one window */
  PK_MEMORY_INCLUDE_HOST_POOLS = 4, /**< host memory may be the fullest, too */
  PK_MEMORY_HAS_FIT = 8,            /**< `fit_bytes` is set */
  PK_MEMORY_NO_TIMELINE = 16,       /**< the document's timeline has no samples */
  PK_MEMORY_KEPT_IS_PERSISTENT = 32 /**< what was not freed is persistent without crossing the boundary of a step */
};
/* enum step_policy: written by scripts/generate */
/** Which step window the run-time part is about. \since 0.1 */
enum { PK_STEP_POLICY_PEAK = 0, PK_STEP_POLICY_LAST = 1, PK_STEP_POLICY_FIRST = 2 };
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_step_policy_name(int32_t value) PK_NOEXCEPT;
/* end of enum step_policy */

/** What to analyse. \since 0.1 */
typedef struct pk_memory_options {
  uint32_t struct_size;  /**< sizeof(pk_memory_options) */
  uint32_t flags;        /**< PK_MEMORY_ */
  const pk_filters* filters; /**< host, step (its window); NULL: everything */
  const char* module;    /**< name or id; NULL: the module with the highest peak */
  uint64_t top;          /**< rows of each list of the document; 0: 30; PK_LIMIT_NONE: all */
  uint64_t fit_bytes;    /**< with PK_MEMORY_HAS_FIT: does the highest need fit? */
  uint64_t curve_points; /**< at most so many points of the live curve; 0: none */
  uint64_t time_samples; /**< of the document's timeline; 0: 200 */
  uint32_t persistent_threshold_steps; /**< boundaries of steps that a persistent block outlives; 0: 2 */
  int32_t step_policy;        /**< PK_STEP_POLICY_ */
  const pk_hooks* hooks;      /**< NULL: none */
  int64_t memory_space;       /**< color of the memory space that is looked into */
  const char* const* what_if; /**< "remat=NAME" or "offload=NAME" each: the document answers them */
  size_t what_if_count;
} pk_memory_options;
/** \since 0.1 */
#define PK_MEMORY_OPTIONS_INIT                                                                                        \
  {                                                                                                                   \
    sizeof(pk_memory_options), 0, NULL, NULL, 0, 0, 0, 0, 0, PK_STEP_POLICY_PEAK, NULL, 0, NULL, 0          \
  }

/** Runs the analysis. `options` may be NULL. Damage of the input is no failure: the document reports it. Ownership: the caller
 *  ends `*out` with pk_memory_free(); it holds a reference to `profile`. Errors: PK_E_NOT_FOUND (no such module, space or
 *  instruction), PK_E_INVALID_ARGUMENT, PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_memory_open(pk_profile* profile, const pk_memory_options* options, pk_memory** out,
                                pk_error** err) PK_NOEXCEPT;

/* row of memory modules: written by scripts/generate */
/** A compiled module and its memory. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_memory_module {
  pk_str name; /**< as the module says */
  pk_str label; /**< name and program id: "jit_f(12)" */
  pk_str program_id; /**< decimal, as the capture writes it */
  pk_str source; /**< path of the first place it was found in */
  uint64_t source_count; /**< places it was found in */
  uint64_t space_count; /**< memory spaces; 0 without a buffer assignment */
  uint64_t problem_count; /**< the document says which */
  uint32_t damaged; /**< the bytes do not parse to the end */
  uint32_t chosen; /**< the live buffers and the curve are of this module */
} pk_memory_module;
/* end of row of memory modules */

/* enum peak_method: written by scripts/generate */
/** How a peak was found. \since 0.1 */
enum {
  PK_PEAK_METHOD_NONE = 0,             /**< the space has no temporary memory: the peak is what lives all the time */
  PK_PEAK_METHOD_HEAP_REPLAY = 1,      /**< the compiler's heap simulation, event by event */
  /** no simulation in the file: lifetimes from schedule and uses, memory from address ranges */
  PK_PEAK_METHOD_SCHEDULE_SWEEP = 2,
  PK_PEAK_METHOD_ALLOCATION_SIZES = 3  /**< neither simulation nor schedule: every temporary allocation in full */
};
/** What documents call a value of these; "none" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_peak_method_name(int32_t value) PK_NOEXCEPT;
/* end of enum peak_method */
/* enum peak_bound: written by scripts/generate */
/** How a peak relates to the truth. \since 0.1 */
enum {
  PK_PEAK_BOUND_EXACT = 0, /**< it is the truth */
  PK_PEAK_BOUND_LOWER = 1, /**< the truth is not below it */
  PK_PEAK_BOUND_UPPER = 2  /**< the truth is not above it */
};
/** What documents call a value of these; "exact" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_peak_bound_name(int32_t value) PK_NOEXCEPT;
/* end of enum peak_bound */

/* row of memory spaces: written by scripts/generate */
/** One memory space of a module. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_memory_space {
  int64_t color; /**< which one */
  int64_t total_bytes; /**< allocations without thread-local ones: XProf's total */
  int64_t peak_bytes; /**< indefinite bytes, and the peak of temporary memory */
  int64_t peak_event; /**< heap event, or schedule position of a sweep; -1: none */
  int64_t indefinite_bytes; /**< parameters, constants and results */
  int64_t temp_bytes; /**< temporary allocations */
  int64_t temp_peak_bytes; /**< peak of temporary memory */
  int64_t thread_local_bytes; /**< not in total_bytes */
  int64_t fragmentation_bytes; /**< temporary allocations that the peak looks at, minus the peak in them */
  int64_t residency_floor_bytes; /**< in use at every moment */
  pk_str peak_instruction; /**< where the peak is reached */
  pk_str coverage; /**< what the peak counts and what it does not */
  int32_t method; /**< PK_PEAK_METHOD_: how the peak was found */
  int32_t bound; /**< PK_PEAK_BOUND_: whether the peak is exact, or what bounds it */
} pk_memory_space;
/* end of row of memory spaces */

/** Number of modules, which are in the order of their peak in memory space 0, highest first; 0 for NULL. \since 0.1 */
PK_API size_t pk_memory_module_count(const pk_memory* memory) PK_NOEXCEPT;
/** A module by its position. Ownership: text is borrowed from `memory`. Errors: PK_E_INVALID_ARGUMENT (no such module).
 *  \since 0.1 */
PK_API pk_status pk_memory_module_get(const pk_memory* memory, size_t module, pk_memory_module* out,
                                      pk_error** err) PK_NOEXCEPT;
/** A memory space of a module, both by their positions. Ownership: text is borrowed from `memory`. Errors:
 *  PK_E_INVALID_ARGUMENT (no such module or space). \since 0.1 */
PK_API pk_status pk_memory_space_get(const pk_memory* memory, size_t module, size_t space, pk_memory_space* out,
                                     pk_error** err) PK_NOEXCEPT;

/** Flags of pk_memory_allocator. \since 0.1 */
enum {
  PK_ALLOCATOR_AGREES = 1, /**< the replay equals the allocator's own count after every event */
  PK_ALLOCATOR_CHOSEN = 2  /**< the run-time part of the document is about it */
};

/* row of allocators: written by scripts/generate */
/** An allocator of a host. A row of PK_TABLE_ALLOCATORS. Filters that the table takes: host. Frozen; text is
 *  borrowed from what gave the row. \since 0.1 */
typedef struct pk_memory_allocator {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices; -1: host memory */
  pk_str host; /**< whose it is */
  pk_str name; /**< XProf's key */
  int64_t heap_peak_bytes; /**< highest heap */
  int64_t occupancy_peak_bytes; /**< highest sum of reserved and allocated */
  int64_t occupancy_peak_ps; /**< when it was reached, capture's clock */
  int64_t capacity_bytes; /**< of the memory, as the allocator counts it */
  int64_t pre_trace_bytes; /**< allocated before the capture began */
  uint64_t unmatched_frees; /**< of blocks that the capture did not see allocated */
  uint32_t flags; /**< PK_ALLOCATOR_ */
  uint32_t reserved; /**< 0 */
} pk_memory_allocator;
/* end of row of allocators */


/* enum residency: written by scripts/generate */
/** Why bytes are alive. \since 0.1 */
enum { PK_RESIDENCY_INDEFINITE = 0, PK_RESIDENCY_TEMPORARY = 1 };
/** What documents call a value of these; "temp" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_residency_name(int32_t value) PK_NOEXCEPT;
/* end of enum residency */

/** Flags of pk_live_buffer. \since 0.1 */
enum { PK_LIVE_BUFFER_HAS_INSTRUCTION = 1 /**< the module has the instruction that defines it */ };

/* row of live_buffers: written by scripts/generate */
/** A buffer that is alive at the peak of the chosen module. Sizes of all add up to the peak. A row of
 *  PK_TABLE_LIVE_BUFFERS. Filters that the table takes: none. Frozen; text is borrowed from what gave the row.
 *  \since 0.1 */
typedef struct pk_live_buffer {
  uint32_t file; /**< position of the file that carries the module */
  uint32_t reserved; /**< 0 */
  int64_t logical_buffer_id; /**< -1: the allocation has no assigned buffer */
  int64_t size_bytes; /**< of the buffer */
  int64_t allocation_index; /**< of the allocation it lies in */
  int64_t offset_bytes; /**< in the allocation */
  int64_t instruction_id; /**< of the instruction that defines it; with PK_LIVE_BUFFER_HAS_INSTRUCTION */
  pk_str instruction_name; /**< of that instruction */
  pk_str opcode; /**< of that instruction */
  pk_str op_name; /**< framework op */
  pk_str computation_name; /**< where the instruction stands */
  pk_str shape; /**< "" past the first `top` rows */
  const int64_t* shape_index; /**< which part of the instruction's result; none for the whole */
  size_t shape_index_count; /**< of it */
  pk_str source_file; /**< as the module says */
  int64_t source_line; /**< as the module says */
  int32_t residency; /**< PK_RESIDENCY_: why it is alive */
  uint32_t flags; /**< PK_LIVE_BUFFER_ */
} pk_live_buffer;
/* end of row of live_buffers */


/* row of live_curve: written by scripts/generate */
/** A point of the live curve of the chosen module; of pk_memory_table() only where pk_memory_options::curve_points
 *  asked for it. A row of PK_TABLE_LIVE_CURVE. Filters that the table takes: none. Frozen. \since 0.1 */
typedef struct pk_curve_point {
  uint32_t file; /**< position of the file that carries the module */
  uint32_t reserved; /**< 0 */
  int64_t event; /**< heap event, or schedule position of a sweep */
  int64_t live_bytes; /**< alive then */
} pk_curve_point;
/* end of row of live_curve */

/** Whether what was asked with PK_MEMORY_HAS_FIT fits; `*spare_bytes` is negative by what is missing. PK_END when
 *  it was not asked, and when nothing says what is needed. `fits` and `spare_bytes` may be NULL. Errors:
 *  PK_E_INVALID_ARGUMENT (NULL). \since 0.1 */
PK_API pk_status pk_memory_fit(const pk_memory* memory, uint32_t* fits, int64_t* spare_bytes,
                               pk_error** err) PK_NOEXCEPT;

/** Writes the document `memory` of this analysis: that of `profkit memory --json`. `status` may be NULL; it
 *  becomes a PK_DOCUMENT_STATUS_. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero),
 *  PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_memory_write(const pk_memory* memory, pk_write_callback write, void* user, int32_t* status,
                                 pk_error** err) PK_NOEXCEPT;
/** Frees the analysis; NULL is fine. Tables that were made of it live on. \since 0.1 */
PK_API void pk_memory_free(pk_memory* memory) PK_NOEXCEPT;

/* ---- export -------------------------------------------------------------------------------------------- */

/* enum trace_format: written by scripts/generate */
/** Formats of other tools. \since 0.1 */
enum {
  PK_TRACE_JSON = 0,     /**< Chrome trace-event JSON, for Perfetto and chrome://tracing */
  PK_TRACE_PERFETTO = 1, /**< Perfetto's protobuf trace (.pftrace) */
  PK_TRACE_XSPACE = 2,   /**< an XSpace with the events that the filters keep, byte for byte */
  PK_TRACE_CSV = 3       /**< one row an event */
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_trace_format_name(int32_t value) PK_NOEXCEPT;
/* end of enum trace_format */

/** Flags of pk_trace_options. \since 0.1 */
enum {
  PK_TRACE_LIKE_XLA = 1, /**< PK_TRACE_JSON as XLA's converter writes it: one XSpace, no filters */
  PK_TRACE_GZIP = 2,     /**< compress what is written */
  PK_TRACE_WAITS = 4     /**< PK_TRACE_PERFETTO with the steps of each device and why it waited */
};

/** What to write. \since 0.1 */
typedef struct pk_trace_options {
  uint32_t struct_size;      /**< sizeof(pk_trace_options) */
  uint32_t flags;            /**< PK_TRACE_LIKE_XLA and so on */
  int32_t format;            /**< PK_TRACE_JSON and so on */
  uint32_t reserved;         /**< 0 */
  const pk_filters* filters; /**< all of them; NULL: everything */
  const pk_hooks* hooks;     /**< NULL: none */
} pk_trace_options;
/** \since 0.1 */
#define PK_TRACE_OPTIONS_INIT \
  { sizeof(pk_trace_options), 0, PK_TRACE_JSON, 0, NULL, NULL }

/* row of trace outcomes: written by scripts/generate */
/** What was written, and what was not. Frozen. \since 0.1 */
typedef struct pk_trace_outcome {
  int32_t status; /**< PK_DOCUMENT_STATUS_: absent when nothing has events, partial when some input is damaged */
  uint32_t reserved; /**< 0 */
  uint64_t tracks; /**< tracks */
  uint64_t lanes; /**< further tracks, for events that overlap others of their line */
  uint64_t events; /**< slices, instants and rows */
  uint64_t counters; /**< counter values */
  uint64_t flows; /**< ends of flows */
  uint64_t aggregated_left_out; /**< events without a place in time */
  uint64_t out_of_reach; /**< events more than 106 days from the origin */
  uint64_t crowded; /**< events that still overlap others */
} pk_trace_outcome;
/* end of row of trace outcomes */

/** Writes the capture in a format of other tools. `options` and `out` may be NULL. Damage of the input is no failure:
 *  `out->status` reports it. Errors: PK_E_INVALID_ARGUMENT (no such step; several files where one is needed),
 *  PK_E_UNSUPPORTED (a format this capture cannot become), PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_trace_write(const pk_profile* profile, const pk_trace_options* options, pk_write_callback write,
                                void* user, pk_trace_outcome* out, pk_error** err) PK_NOEXCEPT;
/** The same into a file, which appears under its name when it is complete. A file of the profile is not replaced. Errors: as
 *  pk_trace_write(), and PK_E_INVALID_ARGUMENT (the path is that of an input), PK_E_PERMISSION, PK_E_OUTPUT, PK_E_OUTPUT_FULL.
 *  \since 0.1 */
PK_API pk_status pk_trace_write_file(const pk_profile* profile, const pk_trace_options* options, const char* path,
                                     pk_trace_outcome* out, pk_error** err) PK_NOEXCEPT;

/* ---- writing an XSpace --------------------------------------------------------------------------------- */

/** Writes an XSpace plane by plane, for profilers of one's own:
 *
 *    begin_plane { begin_line { event  event_stat* }*  end_line }*  plane_stat*  end_plane,   then finish
 *
 *  Metadata may be asked for, and given stats, at any time while its plane is open. A plane is held in memory until it
 *  ends. Calls that return nothing keep the first failure, after which they do nothing; pk_xspace_writer_finish() and
 *  pk_xspace_writer_status() return it. One thread at a time. Ownership: texts and values that it is given are copied.
 *  \since 0.1 */
typedef struct pk_xspace_writer pk_xspace_writer;

/** What a stat says. \since 0.1 */
enum {
  PK_VALUE_DOUBLE = 2,
  PK_VALUE_UINT64 = 3,
  PK_VALUE_INT64 = 4,
  PK_VALUE_TEXT = 5,
  PK_VALUE_BYTES = 6,
  PK_VALUE_REF = 7 /**< a text that many events share: `bits` is its pk_xspace_writer_stat_metadata() */
};
/** Frozen. \since 0.1 */
typedef struct pk_value {
  int32_t kind; /**< PK_VALUE_ */
  uint32_t reserved;
  uint64_t bits; /**< an integer, or the bits of a double */
  pk_str text;   /**< of PK_VALUE_TEXT and PK_VALUE_BYTES */
} pk_value;

/** Flags of pk_writer_options. \since 0.1 */
enum { PK_WRITER_GZIP = 1 /**< compress what is written */ };

/** How an XSpace is written. \since 0.1 */
typedef struct pk_writer_options {
  uint32_t struct_size;     /**< sizeof(pk_writer_options) */
  uint32_t flags;           /**< PK_WRITER_ */
  uint64_t max_plane_bytes; /**< the most that an open plane may take in memory; more is PK_E_LIMIT. 0, PK_LIMIT_NONE: no bound */
  /** NULL: none. `cancel` and `progress`, whose total is 0, are asked whenever bytes are written: at the end of each plane. */
  const pk_hooks* hooks;
} pk_writer_options;
/** \since 0.1 */
#define PK_WRITER_OPTIONS_INIT \
  { sizeof(pk_writer_options), 0, 0, NULL }

/** Makes a writer that hands its bytes to `write`. `options` may be NULL. Ownership: the caller ends `*out` with
 *  pk_xspace_writer_free(); `write`, `user` and what the hooks refer to are used until then; the structs are copied. Errors:
 *  PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_xspace_writer_new(const pk_writer_options* options, pk_write_callback write, void* user,
                                      pk_xspace_writer** out, pk_error** err) PK_NOEXCEPT;
/** Makes a writer into a file, which appears under its name when pk_xspace_writer_finish() succeeds. `options` may be NULL.
 *  Ownership: as of pk_xspace_writer_new(). Errors: PK_E_PERMISSION, PK_E_OUTPUT, PK_E_CANCELLED. \since 0.1 */
PK_API pk_status pk_xspace_writer_open(const pk_writer_options* options, const char* path, pk_xspace_writer** out,
                                       pk_error** err) PK_NOEXCEPT;
/** Names a host that was profiled, or keeps a remark (PK_NOTE_). Not while a plane is open. \since 0.1 */
PK_API void pk_xspace_writer_note(pk_xspace_writer* writer, int32_t kind, pk_str text) PK_NOEXCEPT;
/** Begins a plane; none may be open. `id`: as other tools show it, any number. What is wrong is the status of the
 *  writer. \since 0.1 */
PK_API void pk_xspace_writer_begin_plane(pk_xspace_writer* writer, pk_str name, int64_t id) PK_NOEXCEPT;
/** Ends the plane, and the line that is open, and writes both. \since 0.1 */
PK_API void pk_xspace_writer_end_plane(pk_xspace_writer* writer) PK_NOEXCEPT;
/** The id of the event metadata of that name in the open plane, made when it is new; `display_name` may be empty. 0
 * after a failure. \since 0.1 */
PK_API int64_t pk_xspace_writer_event_metadata(pk_xspace_writer* writer, pk_str name, pk_str display_name) PK_NOEXCEPT;
/** The id of the name of a stat, or of a text for PK_VALUE_REF. 0 after a failure. \since 0.1 */
PK_API int64_t pk_xspace_writer_stat_metadata(pk_xspace_writer* writer, pk_str name) PK_NOEXCEPT;
/** Adds a fact that all executions of an operation share, to its metadata in the open plane. \since 0.1 */
PK_API void pk_xspace_writer_metadata_stat(pk_xspace_writer* writer, int64_t event_metadata, int64_t stat_metadata,
                                    const pk_value* value) PK_NOEXCEPT;
/** Adds a fact of the open plane. \since 0.1 */
PK_API void pk_xspace_writer_plane_stat(pk_xspace_writer* writer, int64_t stat_metadata, const pk_value* value) PK_NOEXCEPT;
/** Begins a line of the open plane. `timestamp_ns` is what the offsets of the line's events count from: Unix ns, or ns since
 *  the profile's start. \since 0.1 */
PK_API void pk_xspace_writer_begin_line(pk_xspace_writer* writer, int64_t id, pk_str name, int64_t timestamp_ns) PK_NOEXCEPT;
/** Ends the line that is open. \since 0.1 */
PK_API void pk_xspace_writer_end_line(pk_xspace_writer* writer) PK_NOEXCEPT;
/** Adds an event to the line that is open: `offset_ps` after the line's timestamp, `duration_ps` long. Its stats follow by
 *  pk_xspace_writer_event_stat(). What is wrong is the status of the writer. \since 0.1 */
PK_API void pk_xspace_writer_event(pk_xspace_writer* writer, int64_t event_metadata, int64_t offset_ps,
                            int64_t duration_ps) PK_NOEXCEPT;
/** Adds a fact of the event that was added last. \since 0.1 */
PK_API void pk_xspace_writer_event_stat(pk_xspace_writer* writer, int64_t stat_metadata, const pk_value* value) PK_NOEXCEPT;
/** How the writer fares: PK_OK, or the status of the first failure so far; PK_E_INVALID_ARGUMENT for NULL. \since 0.1 */
PK_API pk_status pk_xspace_writer_status(const pk_xspace_writer* writer) PK_NOEXCEPT;
/** Ends what is open, completes the output and gives the first failure. Errors: PK_E_INVALID_ARGUMENT (a call that
 *  was out of place), PK_E_LIMIT (pk_writer_options::max_plane_bytes), PK_E_OUTPUT, PK_E_OUTPUT_FULL, PK_E_CANCELLED.
 *  \since 0.1 */
PK_API pk_status pk_xspace_writer_finish(pk_xspace_writer* writer, pk_error** err) PK_NOEXCEPT;
/** Frees the writer; NULL is fine. Without pk_xspace_writer_finish() before it, a file does not appear. \since 0.1 */
PK_API void pk_xspace_writer_free(pk_xspace_writer* writer) PK_NOEXCEPT;

/* ---- a capture that arrives ----------------------------------------------------------------------------- */

/** Reads an XSpace that its caller pushes in pieces of any size, plain, gzip or zstd, and hands its events on while it arrives.
 *  Holds the event or entry of which not all bytes came, and of the open plane everything but its events. Its callbacks are
 *  called inside pk_xspace_push_bytes() and pk_xspace_push_finish(), where the reader may not be used or freed. One thread at a
 *  time. Ownership: bytes that it is given are borrowed for the call, and so is what callbacks are given. \since 0.1 */
typedef struct pk_xspace_push pk_xspace_push;

/* row of pushed planes: written by scripts/generate */
/** A plane as far as it is known when its first line begins: writers put id and name first. Frozen; text is
 *  borrowed from what gave the row. \since 0.1 */
typedef struct pk_pushed_plane {
  uint32_t plane; /**< its position in the capture */
  uint32_t reserved; /**< 0 */
  int64_t id; /**< 0 while none came */
  pk_str name; /**< "" while none came */
} pk_pushed_plane;
/* end of row of pushed planes */

/** Flags of pk_pushed_line. \since 0.1 */
enum {
  PK_PUSHED_LINE_CHANGED = 1 /**< of line_end: id, name or timestamp_ns stood after events and are not what line_begin had */
};
/* row of pushed lines: written by scripts/generate */
/** A line. Before its first event it has what stands before that event, whatever the pieces; line_end has all of
 *  it. Writers put id, name and timestamp first, but need not. Frozen; text is borrowed from what gave the row.
 *  \since 0.1 */
typedef struct pk_pushed_line {
  uint32_t plane; /**< position in the capture */
  uint32_t line; /**< position in the plane */
  int64_t id; /**< as written */
  int64_t display_id; /**< as written */
  pk_str name; /**< as written */
  pk_str display_name; /**< as written */
  int64_t timestamp_ns; /**< what the offsets of its events count from: since 1970, or since the profile's start */
  int64_t duration_ps; /**< 0 in files seen so far */
  uint64_t event_count; /**< events that were handed on so far */
  uint32_t flags; /**< PK_PUSHED_LINE_ */
  uint32_t reserved; /**< 0 */
} pk_pushed_line;
/* end of row of pushed lines */

/** What takes a capture that arrives: planes one after the other, and their lines one after the other. NULL: not called. Each gives
 *  0 to go on; another number ends the reading with PK_E_CANCELLED. What is handed over is borrowed for the call. \since 0.1 */
typedef struct pk_push_callbacks {
  uint32_t struct_size; /**< sizeof(pk_push_callbacks) */
  uint32_t reserved;    /**< 0 */
  void* user;           /**< handed to each */
  /** A plane whose first line begins, or that ends without one. */
  int32_t (*plane_begin)(void* user, const pk_pushed_plane* plane);
  int32_t (*line_begin)(void* user, const pk_pushed_line* line);
  /** The next events of a line, in the order of the file. The name of an event is that of its metadata_id, which plane_end knows.
   *  start_ps is not known; an event begins line->timestamp_ns and offset_ps after time zero of the file. */
  int32_t (*events)(void* user, const pk_pushed_line* line, const pk_event* events, size_t count);
  int32_t (*line_end)(void* user, const pk_pushed_line* line);
  /** All of a plane has come. `rest` has one file with this plane alone, without its events: names, metadata, stats, headers of
   *  lines. It may be kept with pk_profile_ref(). Starts of lines count from its own origin, and positions in its own bytes. */
  int32_t (*plane_end)(void* user, uint32_t plane, pk_profile* rest);
  /** A host name, error or warning (PK_NOTE_) that the capture carries; with the plane after it, or at the end. */
  int32_t (*note)(void* user, int32_t kind, const pk_str* text);
  /** Something is damaged, at pk_error_byte_offset(why). What is intact around it comes nevertheless. */
  int32_t (*damage)(void* user, const pk_error* why);
} pk_push_callbacks;
/** \since 0.1 */
#define PK_PUSH_CALLBACKS_INIT \
  { sizeof(pk_push_callbacks), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/** \since 0.1 */
typedef struct pk_push_options {
  uint32_t struct_size; /**< sizeof(pk_push_options) */
  uint32_t flags;       /**< 0 */
  pk_str label;         /**< stands for the path in messages */
  /** NULL: the defaults. max_materialised_bytes bounds an event or entry that is not all there, and the rest of a plane */
  const pk_limits* limits;
} pk_push_options;
/** \since 0.1 */
#define PK_PUSH_OPTIONS_INIT \
  { sizeof(pk_push_options), 0, {NULL, 0}, NULL }

/** Makes a reader. `options` may be NULL. Ownership: the caller ends `*out` with pk_xspace_push_free(); `callbacks->user` is used
 *  until then; the structs are copied. Errors: PK_E_INVALID_ARGUMENT (NULL), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_xspace_push_new(const pk_push_callbacks* callbacks, const pk_push_options* options, pk_xspace_push** out,
                                    pk_error** err) PK_NOEXCEPT;
/** Takes the next bytes, as many as there are. Damage is no error here: the callback is called, and pk_xspace_push_finish() fails.
 *  After an error every call gives the same one. Ownership: `data` is borrowed for the call. Errors: PK_E_CANCELLED (a callback),
 *  PK_E_LIMIT, PK_E_UNRECOGNISED and PK_E_TEXT_MANGLED (no XSpace), PK_E_UNSUPPORTED (a compression that this build lacks),
 *  PK_E_INVALID_ARGUMENT (from inside a callback; after the end). \since 0.1 */
PK_API pk_status pk_xspace_push_bytes(pk_xspace_push* push, const void* data, size_t size, pk_error** err) PK_NOEXCEPT;
/** Says that no more bytes come: what is open ends here. PK_OK is for a capture that was sound to its last byte; nothing in the
 *  format shows that planes are missing after a whole one. Errors: PK_E_DAMAGED (cut, or damaged: the place that lies first), and
 *  those of pk_xspace_push_bytes(). \since 0.1 */
PK_API pk_status pk_xspace_push_finish(pk_xspace_push* push, pk_error** err) PK_NOEXCEPT;
/** Frees the reader; NULL is fine. Without pk_xspace_push_finish() before it, what is open does not end. \since 0.1 */
PK_API void pk_xspace_push_free(pk_xspace_push* push) PK_NOEXCEPT;

/* ---- a host's own trace -------------------------------------------------------------------------------- */

/** Takes what a host recorded of its devices and of itself, in any order and without a file, and becomes a profile that every
 *  analysis, table and document works on. One thread at a time. Ownership: structs, rows and texts that are handed to it are
 *  copied. \since 0.1 */
typedef struct pk_trace_builder pk_trace_builder;

/** \since 0.1 */
typedef struct pk_trace_builder_options {
  uint32_t struct_size; /**< sizeof(pk_trace_builder_options) */
  uint32_t flags;       /**< 0 */
  pk_str label;         /**< stands for the path in messages and documents; empty: "recording" */
  pk_str recorder;      /**< who recorded it, for people: "mytracer 1.2" */
  uint64_t max_bytes;   /**< what rows and names may take in memory; 0: 8 GiB; PK_LIMIT_NONE: no bound */
} pk_trace_builder_options;
/** \since 0.1 */
#define PK_TRACE_BUILDER_OPTIONS_INIT \
  { sizeof(pk_trace_builder_options), 0, {NULL, 0}, {NULL, 0}, 0 }

/** Makes a builder. `options` may be NULL. Ownership: the caller ends `*out` with pk_trace_builder_free(). Errors: PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_trace_builder_new(const pk_trace_builder_options* options, pk_trace_builder** out,
                                      pk_error** err) PK_NOEXCEPT;

/** Flags of pk_trace_host. \since 0.1 */
enum { PK_TRACE_HOST_HAS_RANK = 1, PK_TRACE_HOST_HAS_ORIGIN = 2 };
/** A process of a run, which becomes a file of the profile: its devices and threads share a clock and a rank. \since 0.1 */
typedef struct pk_trace_host {
  uint32_t struct_size; /**< sizeof(pk_trace_host) */
  uint32_t flags;       /**< PK_TRACE_HOST_ */
  pk_str name;          /**< of its machine; may be empty */
  /** Unix ns of time zero of its rows, by which hosts are put on one clock; with PK_TRACE_HOST_HAS_ORIGIN */
  int64_t origin_unix_ns;
  int32_t rank;       /**< in the run; with PK_TRACE_HOST_HAS_RANK */
  int32_t world_size; /**< ranks of the whole run; 0: not known */
} pk_trace_host;
/** \since 0.1 */
#define PK_TRACE_HOST_INIT \
  { sizeof(pk_trace_host), 0, {NULL, 0}, 0, 0, 0 }
/** Adds a host; its number, from 0, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (a negative rank, world size or origin; a builder that
 *  was finished), PK_E_LIMIT (more than 65,535). \since 0.1 */
PK_API pk_status pk_trace_builder_add_host(pk_trace_builder* builder, const pk_trace_host* host, uint32_t* out,
                                           pk_error** err) PK_NOEXCEPT;

/** Flags of pk_trace_device. \since 0.1 */
enum { PK_TRACE_DEVICE_HAS_ORDINAL = 1 };
/** A device of a host. \since 0.1 */
typedef struct pk_trace_device {
  uint32_t struct_size; /**< sizeof(pk_trace_device) */
  uint32_t flags;       /**< PK_TRACE_DEVICE_ */
  pk_str name;          /**< "GPU 0" */
  pk_str model;         /**< "NVIDIA H100 80GB HBM3", by which its peaks are known; may be empty */
  int64_t ordinal;      /**< its number on its machine, not negative; with PK_TRACE_DEVICE_HAS_ORDINAL */
  uint32_t host;        /**< the number of its host */
  int32_t accelerator;  /**< PK_ACCELERATOR_ */
} pk_trace_device;
/** \since 0.1 */
#define PK_TRACE_DEVICE_INIT \
  { sizeof(pk_trace_device), 0, {NULL, 0}, {NULL, 0}, 0, 0, PK_ACCELERATOR_OTHER }
/** Adds a device; its number, from 0 over all hosts, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such host; a field out of
 *  range; a builder that was finished), PK_E_LIMIT (more than 65,535). \since 0.1 */
PK_API pk_status pk_trace_builder_add_device(pk_trace_builder* builder, const pk_trace_device* device, uint32_t* out,
                                             pk_error** err) PK_NOEXCEPT;

/** A queue of a device, which runs one kernel after another. \since 0.1 */
typedef struct pk_trace_stream {
  uint32_t struct_size; /**< sizeof(pk_trace_stream) */
  uint32_t device;      /**< the number of its device */
  int64_t id;           /**< as its device counts */
  pk_str name;          /**< empty: "stream ID" */
} pk_trace_stream;
/** \since 0.1 */
#define PK_TRACE_STREAM_INIT \
  { sizeof(pk_trace_stream), 0, 0, {NULL, 0} }
/** Adds a stream; its number, from 0 over all devices, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such device; a builder
 *  that was finished), PK_E_LIMIT (more than 65,535 of a device). \since 0.1 */
PK_API pk_status pk_trace_builder_add_stream(pk_trace_builder* builder, const pk_trace_stream* stream, uint32_t* out,
                                             pk_error** err) PK_NOEXCEPT;

/** A thread of a host. \since 0.1 */
typedef struct pk_trace_thread {
  uint32_t struct_size; /**< sizeof(pk_trace_thread) */
  uint32_t host;        /**< the number of its host */
  pk_str process;       /**< "python 4711" */
  pk_str name;          /**< "main thread" */
} pk_trace_thread;
/** \since 0.1 */
#define PK_TRACE_THREAD_INIT \
  { sizeof(pk_trace_thread), 0, {NULL, 0}, {NULL, 0} }
/** Adds a thread; its number, from 0 over all hosts, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such host; a builder that
 *  was finished), PK_E_LIMIT (more than 65,535). \since 0.1 */
PK_API pk_status pk_trace_builder_add_thread(pk_trace_builder* builder, const pk_trace_thread* thread, uint32_t* out,
                                             pk_error** err) PK_NOEXCEPT;

/** Flags of pk_trace_counter and pk_trace_allocator. \since 0.1 */
enum { PK_TRACE_OF_DEVICE = 1 /**< `owner` is the number of a device; else of a host */ };
/** A number over time, which exports to trace viewers show. \since 0.1 */
typedef struct pk_trace_counter {
  uint32_t struct_size; /**< sizeof(pk_trace_counter) */
  uint32_t flags;       /**< PK_TRACE_OF_DEVICE */
  uint32_t owner;       /**< whose it is */
  uint32_t reserved;    /**< 0 */
  pk_str process;       /**< of a host: whose it is, as of its threads */
  pk_str name;          /**< "power" */
  pk_str unit;          /**< "W"; may be empty */
} pk_trace_counter;
/** \since 0.1 */
#define PK_TRACE_COUNTER_INIT \
  { sizeof(pk_trace_counter), 0, 0, 0, {NULL, 0}, {NULL, 0}, {NULL, 0} }
/** Adds a counter; its number, from 0, becomes `*out`. Errors: PK_E_INVALID_ARGUMENT (no such owner; a builder that was finished),
 *  PK_E_LIMIT (more than 65,535). \since 0.1 */
PK_API pk_status pk_trace_builder_add_counter(pk_trace_builder* builder, const pk_trace_counter* counter, uint32_t* out,
                                              pk_error** err) PK_NOEXCEPT;

/** Where memory comes from: the analysis of memory replays what it gives out and gets back. \since 0.1 */
typedef struct pk_trace_allocator {
  uint32_t struct_size; /**< sizeof(pk_trace_allocator) */
  uint32_t flags;       /**< PK_TRACE_OF_DEVICE: it serves a device; else it is memory of the host */
  uint32_t owner;       /**< whose it is */
  uint32_t reserved;    /**< 0 */
  pk_str name;          /**< a second one of the same name gets a number */
} pk_trace_allocator;
/** \since 0.1 */
#define PK_TRACE_ALLOCATOR_INIT \
  { sizeof(pk_trace_allocator), 0, 0, 0, {NULL, 0} }
/** Adds an allocator; its number, from 0, becomes `*out`. Errors: as pk_trace_builder_add_counter(). \since 0.1 */
PK_API pk_status pk_trace_builder_add_allocator(pk_trace_builder* builder, const pk_trace_allocator* allocator,
                                                uint32_t* out, pk_error** err) PK_NOEXCEPT;

/** Flags of pk_trace_kernel. \since 0.1 */
enum {
  PK_TRACE_KERNEL_HAS_KIND = 1,     /**< else its name says what it counts as */
  PK_TRACE_KERNEL_HAS_LAUNCH = 2,   /**< launch_ps is known */
  PK_TRACE_KERNEL_HAS_WORK = 4,     /**< flops and bytes are known */
  PK_TRACE_KERNEL_HAS_SEQUENCE = 8, /**< group_sequence is known */
  PK_TRACE_KERNEL_HAS_MESSAGE = 16  /**< sent_bytes and received_bytes are known */
};
/** One execution of a kernel, a copy or a collective on a stream. Texts may be empty. \since 0.1 */
typedef struct pk_trace_kernel {
  pk_str name;
  pk_str op;           /**< of the framework that launched it: "aten::addmm". Without op, module and program the spans around its launch say it */
  pk_str module;       /**< from outside in: "Net/layer_0/attn" */
  pk_str program;      /**< that was compiled: "jit_step(7)" */
  pk_str input_shapes; /**< "[[8, 4], [4, 4]]" */
  pk_str input_types;  /**< "[\"bf16\", \"bf16\"]" */
  pk_str number_type;  /**< which it multiplies: "f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "i8"; with flops */
  pk_str group;        /**< of a collective: its process group */
  pk_str group_ranks;  /**< the ranks of that group: "[0, 4]" */
  pk_str arguments;    /**< a JSON object of what else is known, for exports */
  int64_t flops;          /**< with PK_TRACE_KERNEL_HAS_WORK; not negative */
  int64_t bytes;          /**< moved from and to memory; with PK_TRACE_KERNEL_HAS_WORK; not negative */
  int64_t group_sequence; /**< its number among the collectives of its group; with PK_TRACE_KERNEL_HAS_SEQUENCE; not negative */
  int64_t sent_bytes;     /**< by this rank; with PK_TRACE_KERNEL_HAS_MESSAGE; not negative */
  int64_t received_bytes; /**< by this rank; with PK_TRACE_KERNEL_HAS_MESSAGE; not negative */
  int64_t start_ps;     /**< on the clock of its host, as all times of rows */
  int64_t duration_ps;  /**< not negative */
  int64_t launch_ps;    /**< when the host launched it; with PK_TRACE_KERNEL_HAS_LAUNCH */
  uint64_t correlation; /**< that of the span of its host that launched it, which says more than launch_ps; 0: none */
  uint32_t stream;      /**< the number of its stream */
  int32_t kind;         /**< PK_KERNEL_COMPUTE, …; with PK_TRACE_KERNEL_HAS_KIND */
  uint32_t flags;       /**< PK_TRACE_KERNEL_ */
  uint32_t reserved;    /**< 0 */
} pk_trace_kernel;

/* enum host_span_kind: written by scripts/generate */
/** What a span of a host is. \since 0.1 */
enum {
  PK_SPAN_OP = 0,         /**< an operator of a framework */
  PK_SPAN_RUNTIME = 1,    /**< a call of the runtime or driver of a device */
  PK_SPAN_FRAME = 2,      /**< python_function */
  PK_SPAN_ANNOTATION = 3,
  PK_SPAN_GC = 4,         /**< garbage collection */
  PK_SPAN_OTHER = 5
};
/** What documents call a value of these; "other" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_host_span_kind_name(int32_t value) PK_NOEXCEPT;
/* end of enum host_span_kind */
/* enum launch_kind: written by scripts/generate */
/** What a span with a correlation gave to a device. Where no kernel has its number, it is known that the device
 *  did something that was not recorded. \since 0.1 */
enum {
  PK_LAUNCH_BY_NAME = 0, /**< as its name says, of calls of CUDA, HIP and CANN */
  PK_LAUNCH_KERNEL = 1,
  PK_LAUNCH_COPY = 2,
  PK_LAUNCH_GRAPH = 3    /**< many kernels */
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_launch_kind_name(int32_t value) PK_NOEXCEPT;
/* end of enum launch_kind */
/** What a thread did for a while. \since 0.1 */
typedef struct pk_trace_span {
  pk_str name; /**< one that marks a step, such as "ProfilerStep#7", makes a step */
  pk_str arguments; /**< a JSON object of what else is known, for exports; may be empty */
  int64_t start_ps;
  int64_t duration_ps;  /**< not negative */
  uint64_t correlation; /**< of what it launched; the first span with a number counts; 0: none */
  uint32_t thread;      /**< the number of its thread */
  int32_t kind;         /**< PK_SPAN_ */
  int32_t launches;     /**< PK_LAUNCH_ */
  uint32_t reserved;    /**< 0 */
} pk_trace_span;

/** Flags of pk_trace_step. \since 0.1 */
enum { PK_TRACE_STEP_HAS_NUMBER = 1 };
/** A step of the program, as its host saw it. With a duration it ends there, or with the last kernel that it launched; without one
 *  where the next step begins. \since 0.1 */
typedef struct pk_trace_step {
  pk_str name;
  int64_t start_ps;
  int64_t duration_ps; /**< not negative */
  int64_t number;      /**< with PK_TRACE_STEP_HAS_NUMBER; not negative */
  uint32_t thread;     /**< the number of the thread that marked it */
  uint32_t flags;      /**< PK_TRACE_STEP_ */
} pk_trace_step;

/** The value of a counter from an instant on. \since 0.1 */
typedef struct pk_trace_value {
  int64_t at_ps;
  double value;      /**< finite */
  uint32_t counter;  /**< the number of its counter */
  uint32_t reserved; /**< 0 */
} pk_trace_value;

/** Flags of pk_trace_allocation. \since 0.1 */
enum { PK_TRACE_ALLOCATION_IS_FREE = 1 /**< the memory came back */ };
/** Memory that was given out, or came back. \since 0.1 */
typedef struct pk_trace_allocation {
  pk_str op; /**< for what; may be empty */
  int64_t at_ps;
  uint64_t address;   /**< the same when it comes back */
  int64_t bytes;      /**< that were asked for */
  int64_t held_bytes; /**< taken for it, rounding included; 0: `bytes` */
  uint32_t allocator; /**< the number of its allocator */
  uint32_t flags;     /**< PK_TRACE_ALLOCATION_ */
} pk_trace_allocation;

/** Adds rows, all or none of them. `row_size` is sizeof(pk_trace_kernel): a later release may append fields, whose default is zero.
 *  Errors: PK_E_INVALID_ARGUMENT (the message names the first bad row by its position in `rows`: no such stream, a negative duration, a
 *  time more than 106 days from zero, a kind out of range; a builder that was finished), PK_E_UNSUPPORTED (unknown flags), PK_E_LIMIT
 *  (pk_trace_builder_options::max_bytes is reached). \since 0.1 */
PK_API pk_status pk_trace_builder_add_kernels(pk_trace_builder* builder, const pk_trace_kernel* rows, size_t row_size,
                                              size_t count, pk_error** err) PK_NOEXCEPT;
/** Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). \since 0.1 */
PK_API pk_status pk_trace_builder_add_spans(pk_trace_builder* builder, const pk_trace_span* rows, size_t row_size,
                                            size_t count, pk_error** err) PK_NOEXCEPT;
/** Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). \since 0.1 */
PK_API pk_status pk_trace_builder_add_steps(pk_trace_builder* builder, const pk_trace_step* rows, size_t row_size,
                                            size_t count, pk_error** err) PK_NOEXCEPT;
/** Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). \since 0.1 */
PK_API pk_status pk_trace_builder_add_values(pk_trace_builder* builder, const pk_trace_value* rows, size_t row_size,
                                             size_t count, pk_error** err) PK_NOEXCEPT;
/** Adds rows, all or none. Errors: as pk_trace_builder_add_kernels(). \since 0.1 */
PK_API pk_status pk_trace_builder_add_allocations(pk_trace_builder* builder, const pk_trace_allocation* rows, size_t row_size,
                                                  size_t count, pk_error** err) PK_NOEXCEPT;

/** Makes a profile of what was added: a file of family PK_FAMILY_OWN for each host. The builder is then empty and takes nothing
 *  more. Ownership: the caller ends `*out` with pk_profile_free(); it needs the builder no more. Errors: PK_E_INVALID_ARGUMENT (no
 *  host was added; a builder that was finished), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_trace_builder_finish(pk_trace_builder* builder, pk_profile** out, pk_error** err) PK_NOEXCEPT;
/** Frees a builder; NULL is fine. A profile that it became lives on. \since 0.1 */
PK_API void pk_trace_builder_free(pk_trace_builder* builder) PK_NOEXCEPT;

/* ---- any protobuf message ------------------------------------------------------------------------------- */

/* enum dump_format: written by scripts/generate */
/** How a message is written. \since 0.1 */
enum {
  PK_DUMP_JSON = 0, /**< one document, as `profkit dump --json` writes it */
  PK_DUMP_TEXT = 1  /**< protobuf's text format, with remarks after '#' */
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_dump_format_name(int32_t value) PK_NOEXCEPT;
/* end of enum dump_format */
/** What to show of a message. \since 0.1 */
typedef struct pk_dump_options {
  uint32_t struct_size; /**< sizeof(pk_dump_options) */
  int32_t format;       /**< PK_DUMP_ */
  /** Name of the message type, with or without a package, or "raw": every field by its number. NULL: what the kind of
   *  file says. */
  const char* type;
  uint64_t limit;              /**< elements shown of each repeated field; 0, PK_LIMIT_NONE: all */
  const pk_open_options* open; /**< how the file is read, its limits and hooks; NULL: the defaults */
} pk_dump_options;
/** \since 0.1 */
#define PK_DUMP_OPTIONS_INIT \
  { sizeof(pk_dump_options), PK_DUMP_JSON, NULL, 0, NULL }
/** Writes the one message of a file, compressed or not, field by field; no profile has to be in it. `options` and
 * `status` may be NULL; `*status` becomes a PK_DOCUMENT_STATUS_: what is damaged is shown as far as it is intact, and
 * reported after it. Errors: as pk_profile_open(); PK_E_INVALID_ARGUMENT (a directory, a file that is no protobuf, no
 * such type). \since 0.1 */
PK_API pk_status pk_dump_write(const char* path, const pk_dump_options* options, pk_write_callback write, void* user,
                               int32_t* status, pk_error** err) PK_NOEXCEPT;

/** The same of a file of an open profile: also of one that came as a buffer or by callbacks. Of the options those that say how a
 *  file is opened count no more, but for the limits and hooks among them. Errors: PK_E_INVALID_ARGUMENT (no such file; a file that
 *  is no protobuf, or has no bytes as that of pk_trace_builder; no such type), PK_E_CANCELLED. \since 0.1 */
PK_API pk_status pk_file_dump_write(const pk_profile* profile, uint32_t file, const pk_dump_options* options,
                                    pk_write_callback write, void* user, int32_t* status, pk_error** err) PK_NOEXCEPT;

/* ---- collectives across nodes -------------------------------------------------------------------------- */

/** Whether the collectives of several nodes happened in a possible order. Immutable; keeps nothing of the profiles.
 *  \since 0.1 */
typedef struct pk_validation pk_validation;

/** Flags of pk_validation_options. \since 0.1 */
enum {
  PK_VALIDATION_ALIGN = 1,    /**< bound the clocks from collectives alone */
  PK_VALIDATION_HAS_BOUND = 2 /**< `bound_ps` is set */
};
/** \since 0.1 */
typedef struct pk_validation_options {
  uint32_t struct_size; /**< sizeof(pk_validation_options) */
  uint32_t flags;       /**< PK_VALIDATION_ */
  int64_t bound_ps;     /**< error of every time, instead of what the trace says; with PK_VALIDATION_HAS_BOUND */
  int64_t max_bound_ps; /**< an offset known less well than this is undecidable; 0: 1 ms */
  const pk_hooks* hooks;
  uint64_t limit; /**< rows of each list of the document; 0: the default; PK_LIMIT_NONE: all */
} pk_validation_options;
/** \since 0.1 */
#define PK_VALIDATION_OPTIONS_INIT \
  { sizeof(pk_validation_options), 0, 0, 0, NULL, 0 }

/* row of validation summaries: written by scripts/generate */
/** Whether the collectives of several nodes happened in a possible order. Frozen. \since 0.1 */
typedef struct pk_validation_summary {
  int32_t status; /**< PK_DOCUMENT_STATUS_: absent when nothing could be compared */
  uint32_t node_count; /**< nodes */
  uint64_t group_count; /**< invocations compared */
  uint64_t violations; /**< beyond the error of the clocks */
  uint64_t violations_raw; /**< whatever the error of the clocks */
  uint64_t pair_violations; /**< pairs of nodes of which one ended before the other began */
  uint64_t overlaps; /**< invocations in order */
  uint64_t unjudged; /**< who waits for whom, or who takes part, is unknown */
  uint64_t warnings; /**< the document says which */
  uint64_t undecidable; /**< nodes whose offset is known less well than max_bound_ps, or not at all */
  uint32_t clocks_corrected; /**< times are of corrected clocks */
  uint32_t bounds_known; /**< of every node it is known how wrong its clock can be */
} pk_validation_summary;
/* end of row of validation summaries */

/** Compares one merged trace, or one trace a node; a NULL among `profiles` is a trace that could not be opened and keeps its
 *  place. Ownership: the caller ends `*out` with pk_validation_free(); it keeps nothing of the profiles. Errors:
 *  PK_E_INVALID_ARGUMENT (no profile at all), PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_validation_open(const pk_profile* const* profiles, size_t count,
                                    const pk_validation_options* options, pk_validation** out,
                                    pk_error** err) PK_NOEXCEPT;
/** What the comparison found. Errors: PK_E_INVALID_ARGUMENT (NULL). \since 0.1 */
PK_API pk_status pk_validation_get(const pk_validation* validation, pk_validation_summary* out,
                                   pk_error** err) PK_NOEXCEPT;

/* row of clock intervals: written by scripts/generate */
/** What collectives alone say of a node's clock against the first node's: its time less the first node's is offset
 *  + drift * (t - pivot). Frozen. \since 0.1 */
typedef struct pk_clock_interval {
  int64_t node_id; /**< the node */
  int64_t pivot_ps; /**< where the offsets hold */
  int64_t least_offset_ps; /**< no less */
  int64_t most_offset_ps; /**< no more */
  int64_t point_offset_ps; /**< the best guess */
  double least_drift_ppm; /**< no less */
  double most_drift_ppm; /**< no more */
  double point_drift_ppm; /**< the best guess */
  uint64_t constraints; /**< collectives that both nodes took part in */
  uint32_t decidable; /**< known to max_bound_ps */
  uint32_t feasible; /**< 0: the collectives contradict one another, or none joins this node */
} pk_clock_interval;
/* end of row of clock intervals */
/** Reads up to `capacity` nodes from position `first` on; PK_OK means at least one, PK_END none: also when
 *  PK_VALIDATION_ALIGN was not asked for. Errors: PK_E_INVALID_ARGUMENT (capacity 0). \since 0.1 */
PK_API pk_status pk_clock_intervals_read(const pk_validation* validation, uint64_t first, pk_clock_interval* intervals,
                                         size_t capacity, size_t* count, pk_error** err) PK_NOEXCEPT;
/** Writes the document: that of `profkit validate --json`. `status` may be NULL. Errors: PK_E_INVALID_ARGUMENT,
 *  PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_validation_write(const pk_validation* validation, pk_write_callback write, void* user,
                                     int32_t* status, pk_error** err) PK_NOEXCEPT;
/** Writes the start gaps of every invocation as CSV. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave
 *  non-zero), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_validation_write_csv(const pk_validation* validation, pk_write_callback write, void* user,
                                         pk_error** err) PK_NOEXCEPT;
/** Frees the validation; NULL is fine. \since 0.1 */
PK_API void pk_validation_free(pk_validation* validation) PK_NOEXCEPT;
/* ---- Neutrino probe traces ------------------------------------------------------------------------------ */

/** An opened trace folder: what probes recorded inside GPU kernels. Immutable; keeps its profile open.
 *  \since 0.1 */
typedef struct pk_probe pk_probe;

/* enum probe_tool: written by scripts/generate */
/** What records are taken for that no probe.toml describes. \since 0.1 */
enum {
  PK_PROBE_TOOL_NONE = 0,             /**< as the name of the kernel's hook says, if it does */
  PK_PROBE_TOOL_BLOCK_SCHED = 1,
  PK_PROBE_TOOL_GMEM_BYTES = 2,
  PK_PROBE_TOOL_TENSOROP = 3,
  PK_PROBE_TOOL_PROGRAM_PROGRESS = 4,
  PK_PROBE_TOOL_DMAT = 5
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_probe_tool_name(int32_t value) PK_NOEXCEPT;
/* end of enum probe_tool */

/** Opens the first file of family PK_FAMILY_NEUTRINO. `tool`: a PK_PROBE_TOOL_. Ownership: the caller ends `*out` with
 *  pk_probe_free(); it holds a reference to `profile`. Errors: PK_E_NOT_FOUND when the profile has none; PK_E_INVALID_ARGUMENT.
 *  \since 0.1 */
PK_API pk_status pk_probe_open(pk_profile* profile, int32_t tool, pk_probe** out, pk_error** err) PK_NOEXCEPT;

/* enum probe_outcome: written by scripts/generate */
/** How a launch ended, by the log. \since 0.1 */
enum {
  PK_PROBE_OUTCOME_UNFINISHED = 0, /**< the log ends, or goes on, without saying */
  PK_PROBE_OUTCOME_OK = 1,         /**< it ran with the probe */
  PK_PROBE_OUTCOME_FAILED = 2,     /**< the probed kernel did not run; the original one did */
  PK_PROBE_OUTCOME_CANT_SAVE = 3,  /**< it ran, and its records could not be written */
  PK_PROBE_OUTCOME_BACKUP = 4,     /**< it was not probed: the original kernel ran */
  PK_PROBE_OUTCOME_MEMUSAGE = 5,   /**< only the memory that the probe would need was asked for */
  PK_PROBE_OUTCOME_BENCHMARK = 6   /**< it ran for its times only */
};
/** What documents call a value of these; "unfinished" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_probe_outcome_name(int32_t value) PK_NOEXCEPT;
/* end of enum probe_outcome */
/** Which facts of pk_probe_launch are known. \since 0.1 */
enum { PK_PROBE_HAS_GEOMETRY = 1, PK_PROBE_HAS_TIME = 2, PK_PROBE_HAS_MEMORY = 4, PK_PROBE_HAS_DURATIONS = 8 };

/* row of probe_launches: written by scripts/generate */
/** A launch of a Neutrino trace's log. A row of PK_TABLE_PROBE_LAUNCHES. Filters that the table takes: none.
 *  Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_probe_launch {
  uint32_t file; /**< position of the trace folder */
  uint32_t reserved; /**< 0 */
  uint64_t launch; /**< position in the log */
  pk_str kernel; /**< name of the kernel */
  pk_str function; /**< the driver's handle, "0x8209510" */
  pk_str bin; /**< base name of its record file; "" without one */
  int64_t bin_position; /**< of the record file; -1: it is not there */
  int64_t time_ns; /**< since 1970; with PK_PROBE_HAS_TIME */
  const uint64_t* params; /**< arguments of the kernel */
  size_t params_count; /**< of it */
  uint64_t probe_memory_bytes; /**< taken by the probe; with PK_PROBE_HAS_MEMORY */
  int64_t prologue_ps; /**< before the kernel; with PK_PROBE_HAS_DURATIONS */
  int64_t kernel_ps; /**< the kernel; with PK_PROBE_HAS_DURATIONS */
  int64_t epilogue_ps; /**< after the kernel; with PK_PROBE_HAS_DURATIONS */
  int32_t outcome; /**< PK_PROBE_OUTCOME_: how it ended */
  uint32_t grid[3]; /**< blocks; with PK_PROBE_HAS_GEOMETRY */
  uint32_t block[3]; /**< threads of a block; with PK_PROBE_HAS_GEOMETRY */
  uint32_t shared_bytes; /**< shared memory of a block; with PK_PROBE_HAS_GEOMETRY */
  uint32_t flags; /**< PK_PROBE_HAS_ */
  uint32_t reserved1; /**< 0 */
} pk_probe_launch;
/* end of row of probe_launches */

/* row of record files: written by scripts/generate */
/** A record file of a Neutrino trace. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_probe_bin {
  pk_str name; /**< base name */
  pk_str path; /**< where it is */
  uint64_t bytes; /**< its size */
  int64_t elapsed_us; /**< from the driver's start to the end of the launch; -1: not in the name */
  int64_t launch; /**< position of its launch in the log; -1: no launch of the log names it */
  uint32_t map_count; /**< 0 when the file is damaged */
  uint32_t shared_bytes; /**< shared memory of a block */
  uint32_t grid[3]; /**< blocks */
  uint32_t block[3]; /**< threads of a block */
} pk_probe_bin;
/* end of row of record files */
/** Number of record files, which are in the order of elapsed time; 0 for NULL. \since 0.1 */
PK_API size_t pk_probe_bin_count(const pk_probe* probe) PK_NOEXCEPT;
/** A record file by its position. Ownership: text is borrowed from `probe`. Errors: PK_E_INVALID_ARGUMENT (no such record
 *  file). \since 0.1 */
PK_API pk_status pk_probe_bin_get(const pk_probe* probe, size_t bin, pk_probe_bin* out, pk_error** err) PK_NOEXCEPT;
/** Why a record file is damaged; NULL when it is sound. Ownership: borrowed from `probe`: do not free it. \since 0.1 */
PK_API const pk_error* pk_probe_bin_damage(const pk_probe* probe, size_t bin) PK_NOEXCEPT;

/* enum probe_level: written by scripts/generate */
/** Who has a slot of its own in a map. \since 0.1 */
enum { PK_PROBE_LEVEL_UNKNOWN = 0, PK_PROBE_LEVEL_THREAD = 1, PK_PROBE_LEVEL_WARP = 2 };
/** What documents call a value of these; "unknown" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_probe_level_name(int32_t value) PK_NOEXCEPT;
/* end of enum probe_level */
/** What is doubtful about a map. \since 0.1 */
enum {
  PK_PROBE_OFFSET_RECOMPUTED = 1,
  PK_PROBE_SIZE_MISMATCH = 2,
  PK_PROBE_TRUNCATED = 4,
  PK_PROBE_OVERLAP = 8,
  PK_PROBE_BAD_OFFSET = 16,
  PK_PROBE_LEVEL_GUESSED = 32,
  PK_PROBE_LEVEL_NOT_KNOWN = 64,
  PK_PROBE_ALIASED = 128,
  PK_PROBE_TABLE_IGNORED = 256,
  PK_PROBE_SLACK = 512,
  PK_PROBE_RAW_WORDS = 1024,
  PK_PROBE_SHAPE_MISMATCH = 2048,
  PK_PROBE_MAPS_MISMATCH = 4096,
  PK_PROBE_POSSIBLE_OVERFLOW = 8192,
  PK_PROBE_SHAPE_ASSUMED = 16384
};
/** The name of one flag as documents have it: "offset_recomputed"; "" for none or several. Ownership: static. \since 0.1 */
PK_API const char* pk_probe_flag_name(uint32_t flag) PK_NOEXCEPT;

/* row of record maps: written by scripts/generate */
/** One map of a record file. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_probe_map {
  pk_str name; /**< as the probe calls it */
  int32_t level; /**< PK_PROBE_LEVEL_: who has a slot of its own */
  uint32_t flags; /**< PK_PROBE_ */
  uint32_t record_bytes; /**< size of a record */
  uint32_t field_count; /**< fields of a record */
  uint64_t lane_bytes; /**< size of a lane */
  uint64_t capacity; /**< records a lane has room for */
  uint64_t offset; /**< of the region in the file */
  uint64_t bytes; /**< size of the region */
  uint64_t present_bytes; /**< what the file has of it */
  uint64_t recorded_offset; /**< of the region, as the file's own table says */
  uint64_t lanes_per_block; /**< lanes of a block */
  uint64_t lanes; /**< that the file holds */
} pk_probe_map;
/* end of row of record maps */
/** A map by the position of its record file and its own. Ownership: text is borrowed from `probe`. Errors:
 *  PK_E_INVALID_ARGUMENT (no such record file or map). \since 0.1 */
PK_API pk_status pk_probe_map_get(const pk_probe* probe, size_t bin, uint32_t map, pk_probe_map* out,
                                  pk_error** err) PK_NOEXCEPT;

/* row of record fields: written by scripts/generate */
/** One field of a map's records, in the order of memory: unsigned, little endian. Frozen; text is borrowed from
 *  what gave the row. \since 0.1 */
typedef struct pk_probe_field {
  pk_str name; /**< as the probe calls it */
  uint32_t bytes; /**< 8 or 4 */
  uint32_t offset; /**< in the record */
  uint32_t declared; /**< place in the probe's description */
  uint32_t reserved; /**< 0 */
} pk_probe_field;
/* end of row of record fields */
/** A field of a map by its position in memory. Ownership: text is borrowed from `probe`. Errors: PK_E_INVALID_ARGUMENT (no such
 *  record file, map or field). \since 0.1 */
PK_API pk_status pk_probe_field_get(const pk_probe* probe, size_t bin, uint32_t map, uint32_t field,
                                    pk_probe_field* out, pk_error** err) PK_NOEXCEPT;

/** The records of one map: holds its probe and the bytes of its file. One thread at a time. \since 0.1 */
typedef struct pk_probe_records pk_probe_records;
/** The value of pk_probe_record::block when the block is not known. \since 0.1 */
#define PK_PROBE_NO_BLOCK UINT64_MAX
/** One record that was written. Frozen; `data` is borrowed from the pk_probe_records. \since 0.1 */
typedef struct pk_probe_record {
  uint64_t block;
  uint64_t lane;
  uint64_t k; /**< of its lane */
  const void* data;
} pk_probe_record;
/** Puts a reader before the first record of a map. Ownership: the caller ends `*out` with pk_probe_records_free(); it holds a
 *  reference to `probe`. Errors: PK_E_INVALID_ARGUMENT, PK_E_NOT_FOUND, PK_E_IO. \since 0.1 */
PK_API pk_status pk_probe_records_open(const pk_probe* probe, size_t bin, uint32_t map, pk_probe_records** out,
                                       pk_error** err) PK_NOEXCEPT;
/** Reads up to `capacity` of the next records, block by block and lane by lane, and says in `*count` how many; PK_OK means at
 *  least one, PK_END none. Ownership: `data` of the rows is borrowed from `records`. Errors: PK_E_INVALID_ARGUMENT (NULL).
 *  \since 0.1 */
PK_API pk_status pk_probe_records_read(pk_probe_records* records, pk_probe_record* rows, size_t capacity, size_t* count,
                                       pk_error** err) PK_NOEXCEPT;
/** Record k of a lane, written or not: any of them at once. PK_END when there is none. Ownership: `out->data` is borrowed from
 *  `records`. Errors: PK_E_INVALID_ARGUMENT (NULL). \since 0.1 */
PK_API pk_status pk_probe_record_get(const pk_probe_records* records, uint64_t block, uint64_t lane, uint64_t k,
                                     pk_probe_record* out, pk_error** err) PK_NOEXCEPT;
/** Frees the reader; NULL is fine. The data of its records ends with it. \since 0.1 */
PK_API void pk_probe_records_free(pk_probe_records* records) PK_NOEXCEPT;

/* enum probe_slice: written by scripts/generate */
/** The parts of the document `neutrino`. \since 0.1 */
enum {
  PK_PROBE_SLICE_SUMMARY = 0,  /**< launches, kernels, maps and overhead in one */
  PK_PROBE_SLICE_LAUNCHES = 1,
  PK_PROBE_SLICE_KERNELS = 2,
  PK_PROBE_SLICE_MAPS = 3,
  PK_PROBE_SLICE_RECORDS = 4,
  PK_PROBE_SLICE_SCHEDULE = 5,
  PK_PROBE_SLICE_BYTES = 6,
  PK_PROBE_SLICE_DENSITY = 7,
  PK_PROBE_SLICE_PROGRESS = 8,
  PK_PROBE_SLICE_OVERHEAD = 9,
  PK_PROBE_SLICE_LOG = 10
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_probe_slice_name(int32_t value) PK_NOEXCEPT;
/* end of enum probe_slice */
/* enum probe_format: written by scripts/generate */
/** How a slice is written. \since 0.1 */
enum {
  PK_PROBE_JSON = 0, /**< a document */
  PK_PROBE_CSV = 1,  /**< a heading and a row an item (RFC 4180), of any slice but the summary */
  PK_PROBE_SVG = 2   /**< a picture for a browser, of schedule and density */
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_probe_format_name(int32_t value) PK_NOEXCEPT;
/* end of enum probe_format */
/** Flags of pk_probe_query. \since 0.1 */
enum { PK_PROBE_QUERY_HAS_BLOCK = 1, PK_PROBE_QUERY_HAS_LANE = 2 };
/** What to look at. NULL and "" match everything. \since 0.1 */
typedef struct pk_probe_query {
  uint32_t struct_size;  /**< sizeof(pk_probe_query) */
  uint32_t flags;        /**< PK_PROBE_QUERY_HAS_ */
  int32_t slice;         /**< PK_PROBE_SLICE_ */
  uint32_t width;        /**< of the density's grid; 0: 16 columns, 160 of a picture */
  uint32_t height;       /**< 0: 10 rows, 100 of a picture */
  uint32_t reserved;     /**< 0 */
  const char* launch;    /**< number of a launch, or name of a record file */
  const char* map;       /**< name of a map, or its number */
  uint64_t block;        /**< slice records, with PK_PROBE_QUERY_HAS_BLOCK */
  uint64_t lane;         /**< slice records, with PK_PROBE_QUERY_HAS_LANE */
  uint64_t limit;        /**< rows a list; 0: 100 of JSON, all of other formats; PK_LIMIT_NONE: all */
  const pk_hooks* hooks; /**< NULL: none */
  int32_t format;        /**< PK_PROBE_JSON, PK_PROBE_CSV, PK_PROBE_SVG */
  uint32_t reserved1;    /**< 0 */
  const char* title;     /**< of a picture; NULL: the names of kernel, record file and map */
} pk_probe_query;
/** \since 0.1 */
#define PK_PROBE_QUERY_INIT \
  { sizeof(pk_probe_query), 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL, 0, 0, NULL }
/** Writes one slice: what `profkit neutrino PATH SLICE` writes with --json, --csv or --svg. `query` and `status` may be
 *  NULL; `*status` becomes a PK_DOCUMENT_STATUS_. Of what is absent only JSON says so; otherwise nothing is written.
 *  Errors: PK_E_INVALID_ARGUMENT (no such launch or map; no table or picture of that slice), PK_E_CANCELLED. \since 0.1
 */
PK_API pk_status pk_probe_write(const pk_probe* probe, const pk_probe_query* query, pk_write_callback write, void* user,
                                int32_t* status, pk_error** err) PK_NOEXCEPT;
/** Frees the trace; NULL is fine. Readers and tables that were made of it live on. \since 0.1 */
PK_API void pk_probe_free(pk_probe* probe) PK_NOEXCEPT;

/* ---- clocks and merging -------------------------------------------------------------------------------- */

/* enum clock_domain: written by scripts/generate */
/** Which clock stamped an instant. \since 0.1 */
enum { PK_CLOCK_TRACER = 0, PK_CLOCK_HOST = 1 };
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_clock_domain_name(int32_t value) PK_NOEXCEPT;
/* end of enum clock_domain */

/** Both clocks of a node read together: ns of each, and ps beyond them in [0, 1000). Frozen. \since 0.1 */
typedef struct pk_clock_pair {
  int64_t tracer_ns;
  int64_t host_ns;
  int32_t tracer_sub_ps;
  int32_t host_sub_ps;
} pk_clock_pair;

/** Flags of pk_clock_offset. \since 0.1 */
enum { PK_OFFSET_HAS_DRIFT = 1, PK_OFFSET_HAS_RESIDUAL = 2 };
/** A node's wall clock measured against the reference node's. Frozen. \since 0.1 */
typedef struct pk_clock_offset {
  int64_t midpoint_ns;     /**< on the reference node's wall clock */
  int64_t offset_ps;       /**< positive: the node's clock is ahead */
  int64_t resolution_ps;   /**< half of the last digit of the offset */
  int64_t drift_ppt;       /**< with PK_OFFSET_HAS_DRIFT: parts in 10^12 */
  int64_t residual_ps;     /**< with PK_OFFSET_HAS_RESIDUAL: of the solver */
  int32_t midpoint_sub_ps; /**< in [0, 1000) */
  uint32_t flags;          /**< PK_OFFSET_ */
} pk_clock_offset;

/** Flags of pk_clock_options. \since 0.1 */
enum { PK_CLOCK_IS_REFERENCE = 1, PK_CLOCK_NO_DRIFT_SLOPE = 2 };
/** What is known of one node's clocks. The bases are the zeros of what pk_clock_map() takes and gives. \since 0.1 */
typedef struct pk_clock_options {
  uint32_t struct_size; /**< sizeof(pk_clock_options) */
  uint32_t flags;       /**< PK_CLOCK_ */
  int64_t node_id;
  int64_t tracer_base_ns;
  int64_t host_base_ns;
  int64_t reference_base_ns;
  const pk_clock_pair* pairs; /**< at least two */
  size_t pair_count;
  const pk_clock_offset* offsets; /**< at least one, but for the reference node */
  size_t offset_count;
} pk_clock_options;
/** \since 0.1 */
#define PK_CLOCK_OPTIONS_INIT \
  { sizeof(pk_clock_options), 0, 0, 0, 0, 0, NULL, 0, NULL, 0 }

/** The clock of one node: a piecewise-linear map in exact integers, and how far it can be wrong. Immutable.
 *  \since 0.1 */
typedef struct pk_clock pk_clock;
/** Builds the clock of one node from what was measured. Ownership: the caller ends `*out` with pk_clock_free(); it keeps
 *  nothing of what the options point to. Errors: PK_E_INVALID_ARGUMENT (too few measurements), PK_E_DAMAGED (they describe no
 *  clock). \since 0.1 */
PK_API pk_status pk_clock_build(const pk_clock_options* options, pk_clock** out, pk_error** err) PK_NOEXCEPT;
/** Maps `count` instants of a clock (PK_CLOCK_TRACER or PK_CLOCK_HOST, ps since its base) to ps since the reference
 *  base. INT64_MIN where that is out of reach (53 days). `from` and `to` may be the same. Errors:
 *  PK_E_INVALID_ARGUMENT (no such clock). \since 0.1 */
PK_API pk_status pk_clock_map(const pk_clock* clock, int32_t domain, const int64_t* from, int64_t* to, size_t count,
                              pk_error** err) PK_NOEXCEPT;
/** How far an event near a corrected instant can be from the truth: `*bound_ps`; -1 when the tracer clock was reset
 *  and nobody knows. Two nodes' events are in order only when they are further apart than the sum of both. Errors:
 *  PK_E_INVALID_ARGUMENT (no such clock). \since 0.1 */
PK_API pk_status pk_clock_bound(const pk_clock* clock, int32_t domain, int64_t corrected_ps, int64_t* bound_ps,
                                pk_error** err) PK_NOEXCEPT;
/** Frees the clock; NULL is fine. \since 0.1 */
PK_API void pk_clock_free(pk_clock* clock) PK_NOEXCEPT;

/* enum merge_correction: written by scripts/generate */
/** clock: by snapshots and offsets. walltime: by the start of each node's collector. none: times as they are in
 *  the files. \since 0.1 */
enum { PK_CORRECTION_CLOCK = 0, PK_CORRECTION_WALLTIME = 1, PK_CORRECTION_NONE = 2 };
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_merge_correction_name(int32_t value) PK_NOEXCEPT;
/* end of enum merge_correction */
/* enum merge_zero: written by scripts/generate */
/** Which instant becomes 0: the start of the reference node, or the earliest event when one lies before it (AUTO);
 *  the earliest event; the start of the reference node; none, with absolute line times. \since 0.1 */
enum { PK_ZERO_AUTO = 0, PK_ZERO_EARLIEST = 1, PK_ZERO_REFERENCE = 2, PK_ZERO_NONE = 3 };
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_merge_zero_name(int32_t value) PK_NOEXCEPT;
/* end of enum merge_zero */
/* enum plane_scheme: written by scripts/generate */
/** How planes are named. seed: /device:GPU:<64 node + k>, hosts of nodes above 0 as /device:GPU:<10000 node>;
 *  rocm: the numbers of the reference tool (100 + 64 node + k); node: /node:<n>/device:GPU:<k> and
 *  /node:<n>/host_threads. \since 0.1 */
enum { PK_PLANES_SEED = 0, PK_PLANES_ROCM = 1, PK_PLANES_NODE = 2 };
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_plane_scheme_name(int32_t value) PK_NOEXCEPT;
/* end of enum plane_scheme */
/* enum merged_format: written by scripts/generate */
/** What is written. xspace: of XSpaces. trace_json: of trace JSON (PyTorch, Ascend); the events of a node stand
 *  together. \since 0.1 */
enum { PK_MERGED_XSPACE = 0, PK_MERGED_TRACE_JSON = 1 };
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_merged_format_name(int32_t value) PK_NOEXCEPT;
/* end of enum merged_format */
/** Flags of pk_merge_options. \since 0.1 */
enum {
  PK_MERGE_KEEP_GOING = 1,          /**< what is missing or damaged is reported and left out */
  PK_MERGE_KEEP_ORDER = 2,          /**< the events of a line are not sorted */
  PK_MERGE_SCALE_DURATIONS = 4,     /**< the ends of events are mapped, too */
  PK_MERGE_TRACER_HOST_THREADS = 8, /**< "Host Threads/N" of /host:ROCTRACER are stamped by the tracer clock */
  PK_MERGE_NO_DRIFT_SLOPE = 16      /**< beyond the offsets use their own slope, not drift_ppm */
};

/** What to merge. Texts may be NULL. \since 0.1 */
typedef struct pk_merge_options {
  uint32_t struct_size; /**< sizeof(pk_merge_options) */
  uint32_t flags;       /**< PK_MERGE_ */
  const char* const* traces;
  size_t trace_count;
  const char* const* snapshots; /**< one a trace ("" or NULL: in the trace), or none */
  size_t snapshot_count;
  const char* offsets;
  const char* run_metadata;
  const char* run_dir;      /**< find what is not named in this folder */
  const char* plane_prefix; /**< before the names of PK_PLANES_NODE, which it means */
  const char* output;       /**< file that is written and then put in place; NULL: to the callback */
  int32_t correction;       /**< PK_CORRECTION_ */
  int32_t zero;             /**< PK_ZERO_ */
  int32_t planes;           /**< PK_PLANES_ */
  int32_t io;               /**< PK_IO_ */
  const pk_limits* limits;  /**< NULL: the defaults */
  const pk_hooks* hooks;    /**< NULL: none */
  /** Open captures, from files, buffers or callbacks: each of their files that can be merged is a trace, after `traces`; its rank
   *  is its node where pk_open_options said one. `io` and `limits` do not count for them. */
  const pk_profile* const* profiles;
  size_t profile_count;
  int32_t format;    /**< PK_MERGED_: what is written */
  uint32_t reserved; /**< 0 */
} pk_merge_options;
/** \since 0.1 */
#define PK_MERGE_OPTIONS_INIT                                                                                   \
  {                                                                                                             \
    sizeof(pk_merge_options), 0, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, PK_CORRECTION_CLOCK, \
        PK_ZERO_AUTO, PK_PLANES_SEED, PK_IO_READ, NULL, NULL, NULL, 0, PK_MERGED_XSPACE, 0                      \
  }

/** What a merge did. Immutable. \since 0.1 */
typedef struct pk_merge pk_merge;
/** Merges traces of several nodes into one XSpace, or trace JSON into one trace JSON, which goes to `write` or, when that is NULL, to pk_merge_options::output.
 *  `out` may be NULL. Nothing is written when it fails before the second pass over the traces; a file is put in place only when
 *  it is complete. Ownership: the caller ends `*out` with pk_merge_free(); it keeps nothing of what the options point to.
 *  Errors: PK_E_INVALID_ARGUMENT (counts, ids or runs that do not fit each other; an output that is an input), PK_E_NOT_FOUND,
 *  PK_E_DAMAGED, PK_E_UNSUPPORTED (an event out of reach; a trace that is not of the format that is written), PK_E_CANCELLED, PK_E_OUTPUT, PK_E_OUTPUT_FULL. \since 0.1 */
PK_API pk_status pk_merge_run(const pk_merge_options* options, pk_write_callback write, void* user, pk_merge** out,
                              pk_error** err) PK_NOEXCEPT;

/* enum node_status: written by scripts/generate */
/** How a node came into the timeline. \since 0.1 */
enum {
  PK_NODE_CORRECTED = 0, /**< by its clock */
  PK_NODE_WALLTIME = 1,  /**< by wall time */
  PK_NODE_RAW = 2,       /**< as it was */
  PK_NODE_MISSING = 3,   /**< not at all: its trace is missing */
  PK_NODE_CORRUPT = 4    /**< not at all: its trace is damaged */
};
/** What documents call a value of these; "raw" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_node_status_name(int32_t value) PK_NOEXCEPT;
/* end of enum node_status */
/* row of merged nodes: written by scripts/generate */
/** One node of a merge. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_merge_node {
  int64_t id; /**< its number */
  pk_str hostname; /**< of its machine */
  pk_str trace; /**< its trace */
  uint64_t events; /**< events of it */
  uint64_t planes; /**< planes of it */
  uint64_t clamped_events; /**< moved so that a line does not go back */
  uint64_t snapshots; /**< pairs of its clocks */
  uint64_t offset_windows; /**< measured offsets against the reference node */
  int64_t max_correction_ps; /**< wall clock of the node minus corrected time, largest by magnitude */
  int64_t residual_ps; /**< rms of the corrected snapshots about a straight line */
  int64_t tracer_bound_ps; /**< how wrong times of the tracer can be at most; -1: unknown */
  int64_t host_bound_ps; /**< how wrong times of the host can be at most; -1: unknown */
  int32_t status; /**< PK_NODE_: how its clock was corrected */
  uint32_t aligned_before; /**< out of a trace that was merged before */
} pk_merge_node;
/* end of row of merged nodes */

/** Number of nodes; 0 for NULL. \since 0.1 */
PK_API size_t pk_merge_node_count(const pk_merge* merge) PK_NOEXCEPT;
/** A node by its position, as the document lists them. Ownership: text is borrowed from `merge`. Errors: PK_E_INVALID_ARGUMENT
 *  (no such node). \since 0.1 */
PK_API pk_status pk_merge_node_get(const pk_merge* merge, size_t node, pk_merge_node* out, pk_error** err) PK_NOEXCEPT;
/** Unix ns of time zero of the merged trace; 0 for NULL. \since 0.1 */
PK_API int64_t pk_merge_origin_ns(const pk_merge* merge) PK_NOEXCEPT;
/** Writes the metadata document of the merge: that of `profkit merge --json`. Errors: PK_E_INVALID_ARGUMENT,
 *  PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_merge_write(const pk_merge* merge, pk_write_callback write, void* user, pk_error** err) PK_NOEXCEPT;
/** Frees the results of the merge; NULL is fine. The file that was written stays. \since 0.1 */
PK_API void pk_merge_free(pk_merge* merge) PK_NOEXCEPT;

/* ---- bubbles ------------------------------------------------------------------------------------------- */

/** Why devices wait: idle gaps of every step with what is around them. Of XSpace, Kineto and Ascend captures.
 *  Immutable; holds a reference to its profile. \since 0.1 */
typedef struct pk_bubbles pk_bubbles;

/* enum window_policy: written by scripts/generate */
/** Where a step begins and ends. WHOLE: from its mark, or from its first kernel where the device is still busy
 *  with earlier work, to the next step; the last one to the end of its mark or of its last kernel. GUIDE: from its
 *  mark or first kernel to those of the next step; the last one to the end of the last kernel. MARKER: its own
 *  mark. DEVICE: its first to its last kernel. \since 0.1 */
enum {
  PK_WINDOW_POLICY_WHOLE = 0,
  PK_WINDOW_POLICY_MARKER = 1,
  PK_WINDOW_POLICY_DEVICE = 2,
  PK_WINDOW_POLICY_GUIDE = 3
};
/** What documents call a value of these; "whole" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_window_policy_name(int32_t value) PK_NOEXCEPT;
/* end of enum window_policy */
/** What to look for. \since 0.1 */
typedef struct pk_bubbles_options {
  uint32_t struct_size;          /**< sizeof(pk_bubbles_options) */
  uint32_t flags;                /**< 0 */
  const pk_filters* filters;     /**< plane, name, step, and time, an instant of which a step shares; NULL: everything */
  const char* step_pattern;      /**< whole names that mark a step: a regular expression of RE2 */
  const char* const* thresholds; /**< "NAME=VALUE" each, by the names that the document lists */
  size_t threshold_count;
  uint64_t limit;        /**< rows of each list of the document; 0: the default; PK_LIMIT_NONE: all */
  int32_t window_policy; /**< PK_WINDOW_POLICY_ */
  uint32_t reserved;     /**< 0 */
  const pk_hooks* hooks; /**< NULL: none */
} pk_bubbles_options;
/** \since 0.1 */
#define PK_BUBBLES_OPTIONS_INIT \
  { sizeof(pk_bubbles_options), 0, NULL, NULL, NULL, 0, 0, PK_WINDOW_POLICY_WHOLE, 0, NULL }

/** Runs the detector. `options` may be NULL. A capture without devices is no failure: there are no steps then, and the document
 *  says why. Ownership: the caller ends `*out` with pk_bubbles_free(); it holds a reference to `profile`. Errors:
 *  PK_E_INVALID_ARGUMENT (no such threshold), PK_E_CANCELLED, PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_bubbles_open(pk_profile* profile, const pk_bubbles_options* options, pk_bubbles** out,
                                 pk_error** err) PK_NOEXCEPT;

/** A time that the capture does not give. \since 0.1 */
#define PK_NO_TIME_PS INT64_MIN

/* row of steps: written by scripts/generate */
/** A step of a device. busy + prelaunch + internal + tail + not recorded is its length, exactly. A row of
 *  PK_TABLE_STEPS. Filters that the table takes: plane, step, time. Frozen; text is borrowed from what gave the
 *  row. \since 0.1 */
typedef struct pk_bubble_step {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices */
  int64_t step; /**< position in this table */
  int64_t step_of_device; /**< position among the steps of its device: what filters by step count by */
  pk_str step_id; /**< number of its marker, else its name */
  int64_t start_ps; /**< capture's clock */
  int64_t end_ps; /**< capture's clock */
  int64_t busy_ps; /**< union of the kernels */
  int64_t prelaunch_ps; /**< before the first kernel */
  int64_t internal_ps; /**< gaps between kernels */
  int64_t tail_ps; /**< after the last kernel */
  int64_t largest_internal_ps; /**< longest gap between kernels */
  int64_t compute_only_ps; /**< this and the next six add up to the length, too */
  int64_t comm_exposed_ps; /**< communication while nothing computes */
  int64_t comm_overlapped_ps; /**< communication while something computes */
  int64_t copy_ps; /**< copies alone */
  int64_t other_ps; /**< other kernels alone */
  int64_t idle_ps; /**< no kernel at all, and none that was launched without a record */
  int64_t not_recorded_ps; /**< not known: work was launched that was not recorded */
  uint64_t unrecorded_launches; /**< launches of the step without any record of a device */
  uint64_t bubble_count; /**< internal gaps of any length */
  int64_t reportable_ps; /**< gaps long enough to be listed, before the first kernel and after the last among them */
  uint32_t tags; /**< 1 << PK_BUBBLE_TAG_: anomalies of the step */
  uint32_t reserved; /**< 0 */
} pk_bubble_step;
/* end of row of steps */

/* enum bubble_tag: written by scripts/generate */
/** Anomalies of a step. \since 0.1 */
enum {
  PK_BUBBLE_TAG_DEVICE_IDLE_GAP_HEAVY = 0,         /**< the device is idle for much of it */
  PK_BUBBLE_TAG_PRELAUNCH_GAP_HEAVY = 1,           /**< before the first kernel */
  PK_BUBBLE_TAG_TAIL_GAP_HEAVY = 2,                /**< after the last kernel */
  PK_BUBBLE_TAG_INTERNAL_BUBBLE_HEAVY = 3,         /**< between kernels */
  PK_BUBBLE_TAG_RECURRING_BUBBLE_PATTERN = 4,      /**< the same gap in many steps */
  PK_BUBBLE_TAG_HOST_ORIGINATED_RISK = 5,          /**< the host may be the reason */
  PK_BUBBLE_TAG_UNTRACED_HOST_BLOCKING_RISK = 6,   /**< the host may be blocked by what was not recorded */
  PK_BUBBLE_TAG_COMM_SYNC_RISK = 7,                /**< communication may be the reason */
  PK_BUBBLE_TAG_WAIT_POLLUTION_RISK = 8,           /**< waits may count as work */
  PK_BUBBLE_TAG_WAIT_ANCHOR_FALSE_HOTSPOT = 9,     /**< a kernel that waits looks like one that works */
  PK_BUBBLE_TAG_AICPU_EXPOSED_RISK = 10,           /**< kernels of the AI CPU run alone */
  PK_BUBBLE_TAG_PARTIAL_CAPTURE_BOUNDARY = 11,     /**< it touches the edge of the capture */
  PK_BUBBLE_TAG_VARIABLE_SHAPE_SAME_TEMPLATE = 12  /**< shapes vary */
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_bubble_tag_name(int32_t value) PK_NOEXCEPT;
/* end of enum bubble_tag */


/* enum bubble_scope: written by scripts/generate */
/** Where in a step a gap lies. \since 0.1 */
enum {
  PK_BUBBLE_SCOPE_GLOBAL = 0,        /**< in no step, or over the boundary of two */
  PK_BUBBLE_SCOPE_STEP_INTERNAL = 1, /**< between two kernels of a step */
  PK_BUBBLE_SCOPE_PRELAUNCH = 2,     /**< before the first kernel */
  PK_BUBBLE_SCOPE_TAIL = 3           /**< after the last kernel */
};
/** What documents call a value of these; "global" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_bubble_scope_name(int32_t value) PK_NOEXCEPT;
/* end of enum bubble_scope */
/* enum bubble_label: written by scripts/generate */
/** Soft causes, in the order in which the rules are tried. \since 0.1 */
enum {
  PK_BUBBLE_LABEL_SYNC_OR_H2D = 0,                  /**< synchronisation, or a copy to the device */
  PK_BUBBLE_LABEL_COMM_WAIT = 1,                    /**< communication */
  PK_BUBBLE_LABEL_UNTRACED_HOST_BLOCKING = 2,       /**< the host was blocked by what was not recorded */
  PK_BUBBLE_LABEL_HOST_LAUNCH_LAG = 3,              /**< the host launched late */
  PK_BUBBLE_LABEL_PYTHON_SERIALIZATION_OR_LOCK = 4, /**< Python, or a lock */
  PK_BUBBLE_LABEL_INSUFFICIENT_EVIDENCE = 5         /**< none of these */
};
/** What documents call a value of these; "insufficient_evidence" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_bubble_label_name(int32_t value) PK_NOEXCEPT;
/* end of enum bubble_label */
/* enum idle_cause: written by scripts/generate */
/** Why a device waits, as far as the capture shows; what each needs is in docs/bubbles.md. Work comes late from
 *  the host for the first ones, then the device or a lock holds it up, then nothing is known. \since 0.1 */
enum {
  PK_CAUSE_LAUNCH_BOUND = 0,       /**< the launching thread is busy with ops of a framework */
  PK_CAUSE_OPTIMIZER_LOOP = 1,     /**< the same within the update of the parameters */
  /** it stands in a wait for a stream, an event or the device, or in a copy that waits */
  PK_CAUSE_SYNC_WAIT = 2,
  PK_CAUSE_SYNC_DRAIN = 3,         /**< a wait emptied the queue before the gap */
  PK_CAUSE_H2D_PAGEABLE = 4,       /**< it stands in a copy from pageable memory */
  PK_CAUSE_DATA_LOADER = 5,        /**< it waits for the next batch */
  PK_CAUSE_GC = 6,                 /**< Python collects garbage */
  PK_CAUSE_ALLOCATION = 7,         /**< the allocator asks the driver */
  PK_CAUSE_COMPILE = 8,            /**< something is compiled */
  PK_CAUSE_MODULE_LOAD = 9,        /**< code is loaded to the device */
  PK_CAUSE_CHECKPOINT = 10,        /**< the state is saved */
  PK_CAUSE_COMM_HOST_WAIT = 11,    /**< it stands in a call of a collective */
  PK_CAUSE_DEVICE_DEPENDENCY = 12, /**< the work was launched in time: the device waited for something else */
  PK_CAUSE_LOCK = 13,              /**< it waits for a lock */
  PK_CAUSE_HOST_UNTRACED = 14,     /**< nothing of it is on record */
  PK_CAUSE_UNEXPLAINED = 15,       /**< little is on record, and none of it says why */
  PK_CAUSE_EXPOSED_COMM = 16,      /**< no gap: the device only communicates */
  PK_CAUSE_EXPOSED_COPY = 17,      /**< no gap: the device only copies */
  PK_CAUSE_GRAPH_LAUNCH_LATE = 18, /**< the launching thread is busy, and what it launches at last is a whole graph */
  PK_CAUSE_STRAGGLER_WAIT = 19,    /**< no gap: ranks stand in a collective until the last one comes */
  PK_CAUSE_RECORDING = 20,         /**< the profiler itself holds the program up */
  /** the launching thread stands in one call, of which it is not known what it does */
  PK_CAUSE_HOST_CALL = 21
};
/** What documents call a value of these; "unexplained" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_idle_cause_name(int32_t value) PK_NOEXCEPT;
/* end of enum idle_cause */
/* enum certainty: written by scripts/generate */
/** How sure a statement is. proved: arithmetic on the capture, or evidence that allows nothing else; what each
 *  cause needs is in docs/bubbles.md. likely: most of the evidence points there. possible: it fits, and so may
 *  others. unknown: nothing on record says. \since 0.1 */
enum {
  PK_CERTAINTY_UNKNOWN = 0,  /**< nothing on record says why */
  PK_CERTAINTY_POSSIBLE = 1, /**< it fits, and so may others */
  PK_CERTAINTY_LIKELY = 2,   /**< most of the evidence points there */
  PK_CERTAINTY_PROVED = 3    /**< the evidence allows nothing else */
};
/** What documents call a value of these; "unknown" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_certainty_name(int32_t value) PK_NOEXCEPT;
/* end of enum certainty */
/** Flags of pk_bubble. \since 0.1 */
enum {
  PK_BUBBLE_HEAVY = 1,
  PK_BUBBLE_AT_EDGE = 2,    /**< touches the edge of the capture */
  PK_BUBBLE_INTER_STEP = 4, /**< the end of a step and the beginning of the next, which are listed as well */
  PK_BUBBLE_TRACED = 8      /**< the host was recorded: the _ps fields of the host mean something */
};

/* row of gaps: written by scripts/generate */
/** A gap of a device that is long enough to be listed. One with inter_step repeats two others: the table
 *  device_time adds up what a device waited. A row of PK_TABLE_GAPS. Filters that the table takes: plane, step,
 *  time. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_bubble {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices */
  int64_t step; /**< position in steps; -1: none */
  int64_t start_ps; /**< capture's clock */
  int64_t end_ps; /**< capture's clock */
  int64_t host_ps; /**< host activity inside the gap; with PK_BUBBLE_TRACED */
  int64_t sync_ps; /**< the part in synchronisation and copies; with PK_BUBBLE_TRACED */
  int64_t comm_ps; /**< communication inside the gap; with PK_BUBBLE_TRACED */
  int64_t threads_ps; /**< sum over the host's threads; with PK_BUBBLE_TRACED */
  int64_t launch_ps; /**< when the kernel after the gap was launched, in whatever step; PK_NO_TIME_PS: not known */
  pk_str before; /**< the kernel that ended last; "": none */
  pk_str after; /**< the kernel that starts next; "": none */
  uint64_t before_row; /**< its source_row in kernels */
  uint64_t after_row; /**< its source_row in kernels */
  int32_t scope; /**< PK_BUBBLE_SCOPE_: where in a step it lies */
  uint32_t labels; /**< 1 << PK_BUBBLE_LABEL_: the soft labels that its evidence meets */
  int32_t cause; /**< PK_CAUSE_: why the device waited, as far as the capture shows */
  int32_t certainty; /**< PK_CERTAINTY_: of the cause */
  uint32_t flags; /**< PK_BUBBLE_ */
  uint32_t reserved; /**< 0 */
} pk_bubble;
/* end of row of gaps */


/** Writes the document `bubbles` of this analysis: that of `profkit bubbles --json`. `status` may be NULL; it
 *  becomes a PK_DOCUMENT_STATUS_. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero),
 *  PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_bubbles_write(const pk_bubbles* bubbles, pk_write_callback write, void* user, int32_t* status,
                                  pk_error** err) PK_NOEXCEPT;
/** Number of devices of the capture, which `device` of its rows counts; 0 for NULL. \since 0.1 */
PK_API size_t pk_bubbles_device_count(const pk_bubbles* bubbles) PK_NOEXCEPT;
/** Name of a device; empty past the last. Ownership: borrowed from `bubbles`. \since 0.1 */
PK_API pk_str pk_bubbles_device_name(const pk_bubbles* bubbles, size_t device) PK_NOEXCEPT;
/** Frees the analysis; NULL is fine. Tables that were made of it live on. \since 0.1 */
PK_API void pk_bubbles_free(pk_bubbles* bubbles) PK_NOEXCEPT;

/* ---- architecture -------------------------------------------------------------------------------------- */

/** What model ran: passes, layers and their parts, read from the kernels of one device. Of XSpace, Kineto and Ascend
 *  captures. Immutable; holds a reference to its profile. \since 0.1 */
typedef struct pk_architecture pk_architecture;

/** What to look at. \since 0.1 */
typedef struct pk_architecture_options {
  uint32_t struct_size;      /**< sizeof(pk_architecture_options) */
  uint32_t flags;            /**< 0 */
  const pk_filters* filters; /**< plane; NULL: everything */
  const char* step_pattern;  /**< whole names that mark a step: a regular expression of RE2 */
  uint64_t limit;           /**< rows of each list of the document; 0: the default; PK_LIMIT_NONE: all */
  const pk_hooks* hooks;    /**< NULL: none */
} pk_architecture_options;
/** \since 0.1 */
#define PK_ARCHITECTURE_OPTIONS_INIT \
  { sizeof(pk_architecture_options), 0, NULL, NULL, 0, NULL }

/** Looks at the model. `options` may be NULL. A capture without devices is no failure: the document and the report say why they
 *  are empty. Ownership: the caller ends `*out` with pk_architecture_free(); it holds a reference to `profile`. Errors:
 *  PK_E_CANCELLED, PK_E_OUT_OF_MEMORY, PK_E_INVALID_ARGUMENT (the pattern). \since 0.1 */
PK_API pk_status pk_architecture_open(pk_profile* profile, const pk_architecture_options* options,
                                      pk_architecture** out, pk_error** err) PK_NOEXCEPT;
/** One sentence: layers, passes, confidence; empty without a device. Ownership: borrowed from `architecture`. \since 0.1 */
PK_API pk_str pk_architecture_summary(const pk_architecture* architecture) PK_NOEXCEPT;
/** "model_architecture_report_<name>.md", the name that the report has by convention. Ownership: borrowed from `architecture`.
 *  \since 0.1 */
PK_API pk_str pk_architecture_file_name(const pk_architecture* architecture) PK_NOEXCEPT;
/** Writes the document `architecture`: that of `profkit architecture --json`. `status` may be NULL; it becomes a
 *  PK_DOCUMENT_STATUS_. Errors: PK_E_INVALID_ARGUMENT, PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY.
 *  \since 0.1 */
PK_API pk_status pk_architecture_write(const pk_architecture* architecture, pk_write_callback write, void* user,
                                       int32_t* status, pk_error** err) PK_NOEXCEPT;
/** Writes the report, UTF-8 Markdown: that of `profkit architecture --markdown`. Errors: PK_E_INVALID_ARGUMENT,
 *  PK_E_CANCELLED (`write` gave non-zero), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_architecture_write_markdown(const pk_architecture* architecture, pk_write_callback write,
                                                void* user, pk_error** err) PK_NOEXCEPT;
/** Frees the analysis; NULL is fine. Text that was borrowed from it ends with it. \since 0.1 */
PK_API void pk_architecture_free(pk_architecture* architecture) PK_NOEXCEPT;

/* ---- tables -------------------------------------------------------------------------------------------- */

/* The Arrow C data and stream interface (arrow.apache.org/docs/format/CDataInterface.html): a published ABI, so these
 * are the same structs in every library; the guards keep one declaration of them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif

/** The tables. docs/tables.md has their columns. \since 0.1 */
enum {
  /* tables: written by scripts/generate */
  PK_TABLE_FILES = 1, /**< A file of the capture. A pk_file_info each. */
  PK_TABLE_DEVICES = 2, /**< A pk_device each. */
  PK_TABLE_EVENTS = 3, /**< An event that has a place in time. Without a struct: by Arrow alone. */
  PK_TABLE_OPS = 4, /**< Totals of one op on one line. A pk_op each. */
  PK_TABLE_STEPS = 5, /**< A step of a device. A pk_bubble_step each. */
  PK_TABLE_KERNELS = 6, /**< One execution of a kernel (on TPUs: of an op). A pk_kernel_row each. */
  PK_TABLE_GAPS = 7, /**< A gap of a device that is long enough to be listed. A pk_bubble each. */
  PK_TABLE_CAUSES = 8, /**< Why a device waited in a gap, as far as the capture shows. A pk_cause each. */
  PK_TABLE_COLLECTIVES = 9, /**< Totals of one communication op on one line. A pk_collective each. */
  PK_TABLE_MODULES = 10, /**< A compiled module. A pk_module_info each. */
  PK_TABLE_ALLOCATORS = 11, /**< An allocator of a host. A pk_memory_allocator each. */
  PK_TABLE_LIVE_BUFFERS = 12, /**< A buffer that is alive at the peak of the chosen module. A pk_live_buffer each. */
  PK_TABLE_LIVE_CURVE = 13, /**< A point of the live curve of the chosen module. A pk_curve_point each. */
  PK_TABLE_PROBE_LAUNCHES = 14, /**< A launch of a Neutrino trace's log. A pk_probe_launch each. */
  PK_TABLE_PROBE_RECORDS = 15, /**< Without a struct: by Arrow alone. */
  PK_TABLE_DEVICE_TIME = 16, /**< A pk_device_time each. */
  PK_TABLE_FACTS = 17, /**< A pk_fact each. */
  PK_TABLE_COLLECTIVE_CALLS = 18, /**< A pk_collective_call each. */
  PK_TABLE_FINDINGS = 19, /**< A pk_finding each. */
  PK_TABLE_OP_GROUPS = 20 /**< A pk_op_group each. */
  /* end of tables */
};
/** The name of a table: "files", "ops", …; "" for an unknown value. Ownership: static. \since 0.1 */
PK_API const char* pk_table_name(int32_t table) PK_NOEXCEPT;

/* row of devices: written by scripts/generate */
/** A device in the capture: a device plane of an XSpace, a device of a trace or a table. A row of
 *  PK_TABLE_DEVICES. Filters that the table takes: none. Frozen; text is borrowed from what gave the row.
 *  \since 0.1 */
typedef struct pk_device {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in this table */
  pk_str name; /**< as recorded: "/device:TPU:0", "GPU 3" */
  int64_t ordinal; /**< its number on its machine; -1: not recorded */
  int32_t accelerator; /**< PK_ACCELERATOR_: what it is */
  int32_t plane; /**< position of its plane in an XSpace; -1 in other files */
} pk_device;
/* end of row of devices */

/* enum ops_clock: written by scripts/generate */
/** Which clock the durations, self and busy times of a line of ops are of. Which events belong to a step, a time
 *  or a filter is always decided by aligned starts. \since 0.1 */
enum {
  /** offset_ps and duration_ps: the device's times as the profiler fitted them to the host's clock */
  PK_OPS_CLOCK_ALIGNED = 0,
  PK_OPS_CLOCK_DEVICE = 1,  /**< device_offset_ps and device_duration_ps, stats of every event */
  PK_OPS_CLOCK_MIXED = 2    /**< device_duration_ps where an event has it, else duration_ps; starts are aligned */
};
/** What documents call a value of these; "aligned" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_ops_clock_name(int32_t value) PK_NOEXCEPT;
/* end of enum ops_clock */
/** Flags of pk_op: which facts are known. \since 0.1 */
enum { PK_OP_HAS_METADATA_ID = 1, PK_OP_HAS_FLOPS = 2, PK_OP_HAS_BYTES_ACCESSED = 4 };
/* row of ops: written by scripts/generate */
/** Totals of one op on one line. A row of PK_TABLE_OPS. Filters that the table takes: host, plane, line, name,
 *  step, time, limit. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_op {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices; -1: ops of a host */
  pk_str plane; /**< name of the plane */
  pk_str line; /**< name of the line */
  pk_str name; /**< as recorded; "" where it is not */
  pk_str display_name; /**< short name, as recorded; "" where it is not */
  pk_str category; /**< hlo_category; of a kernel what it counts as */
  pk_str program; /**< "jit_f(7)"; "" where not recorded */
  int64_t metadata_id; /**< of an XSpace: the id of its metadata; with PK_OP_HAS_METADATA_ID */
  uint64_t count; /**< executions */
  int64_t total_ps; /**< of all executions */
  int64_t self_ps; /**< without what ran inside; of a line they add up to its busy time */
  int64_t min_ps; /**< shortest execution */
  int64_t max_ps; /**< longest execution */
  uint64_t flops; /**< of one execution, as recorded; flop; with PK_OP_HAS_FLOPS */
  uint64_t bytes_accessed; /**< of one execution, as recorded; bytes; with PK_OP_HAS_BYTES_ACCESSED */
  int32_t clock; /**< PK_OPS_CLOCK_: which clock the times are of */
  uint32_t flags; /**< PK_OP_ */
} pk_op;
/* end of row of ops */

/* row of causes: written by scripts/generate */
/** Why a device waited in a gap, as far as the capture shows. A gap with inter_step repeats two others: the table
 *  device_time adds up what a device waited. A row of PK_TABLE_CAUSES. Filters that the table takes: plane, step,
 *  time. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_cause {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices */
  uint64_t gap; /**< position in gaps */
  int64_t step; /**< position in steps; -1: none */
  pk_str span; /**< the span of the host that names it; "": none does */
  int64_t covered_ps; /**< how much of the gap the evidence covers */
  int64_t start_ps; /**< of the gap, capture's clock */
  int64_t end_ps; /**< of the gap, capture's clock */
  int32_t cause; /**< PK_CAUSE_: what the host or the device did */
  int32_t certainty; /**< PK_CERTAINTY_: of the cause */
  uint32_t flags; /**< PK_BUBBLE_ */
  uint32_t reserved; /**< 0 */
} pk_cause;
/* end of row of causes */

/* enum time_use: written by scripts/generate */
/** What a device did. What runs beside compute counts as compute. \since 0.1 */
enum {
  PK_TIME_COMPUTE = 0,               /**< alone or beside anything else */
  PK_TIME_EXPOSED_COMMUNICATION = 1, /**< nothing computes */
  PK_TIME_EXPOSED_COPIES = 2,        /**< nothing computes or communicates */
  PK_TIME_OTHER_WORK = 3,
  PK_TIME_IDLE = 4,
  PK_TIME_NOT_RECORDED = 5           /**< not known: work was launched that was not recorded */
};
/** What documents call a value of these; "idle" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_time_use_name(int32_t value) PK_NOEXCEPT;
/* end of enum time_use */
/** Flags of pk_device_time. \since 0.1 */
enum { PK_DEVICE_TIME_IN_STEPS = 1, PK_DEVICE_TIME_HAS_CAUSE = 2 };
/* row of device_time: written by scripts/generate */
/** A part of the time of a device: what it did, and why it waited. The rows of a device that are in steps add up
 *  to its steps, the others to the time between its first and last kernel that is in no step. A row of
 *  PK_TABLE_DEVICE_TIME. Filters that the table takes: plane, step, time. Frozen. \since 0.1 */
typedef struct pk_device_time {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices */
  uint64_t gaps; /**< listed gaps with this cause */
  int64_t time_ps; /**< length */
  int32_t use; /**< PK_TIME_: what the device did; what runs beside compute counts as compute */
  /** PK_CAUSE_: why it waited; none of gaps that are too short to list or lie at the edge of the capture; with
   *  PK_DEVICE_TIME_HAS_CAUSE */
  int32_t cause;
  int32_t certainty; /**< PK_CERTAINTY_: of the cause; of what is on record: proved */
  uint32_t flags; /**< PK_DEVICE_TIME_ */
} pk_device_time;
/* end of row of device_time */

/* enum fact_source: written by scripts/generate */
/** pk_fact.source: what a fact is read from, best first. \since 0.1 */
enum {
  PK_FACT_ANNOTATION = 0, /**< what a framework wrote around its steps */
  PK_FACT_MODULE = 1,     /**< scopes of modules: nn.Module, named scopes of programs */
  PK_FACT_SHAPE = 2,      /**< shapes and types of operators, of kernels that a table lists, or of a program */
  PK_FACT_KERNEL = 3,     /**< names of kernels and their template arguments */
  PK_FACT_GROUP = 4,      /**< groups of communication and settings of the run */
  PK_FACT_RECORDER = 5,   /**< what the recorder says of the machine or of the run */
  PK_FACT_COUNT = 6       /**< how often something ran */
};
/** What documents call a value of these; "count" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_fact_source_name(int32_t value) PK_NOEXCEPT;
/* end of enum fact_source */
/* row of facts: written by scripts/generate */
/** A fact of the model that ran: what it is, how sure it is, and where it comes from. A row of PK_TABLE_FACTS.
 *  Filters that the table takes: plane. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_fact {
  uint32_t file; /**< position of the file of the device */
  int32_t device; /**< position in devices; -1: of a host alone */
  pk_str name; /**< "layers", "hidden_size"; docs/architecture-report.md lists them */
  pk_str value; /**< "24", "true", "prefill, decode" */
  pk_str unit; /**< "tokens", "parameters", "%"; "" for counts and words */
  pk_str evidence; /**< the event, shape or name that says so */
  pk_str contradictions; /**< what other sources say; "; " between them */
  int32_t certainty; /**< PK_CERTAINTY_: how sure it is */
  int32_t source; /**< PK_FACT_: what it is read from */
} pk_fact;
/* end of row of facts */

/** Flags of pk_collective_call. \since 0.1 */
enum {
  PK_CALL_JUDGED = 1,  /**< it is known who waits for whom */
  PK_CALL_VIOLATES = 2 /**< out of order beyond the bound of the clocks */
};
/* row of collective_calls: written by scripts/generate */
/** A call of a collective by all members of its process group, over all nodes of the capture. A row of
 *  PK_TABLE_COLLECTIVE_CALLS. Filters that the table takes: time. Frozen; text is borrowed from what gave the row.
 *  \since 0.1 */
typedef struct pk_collective_call {
  uint32_t file; /**< position of the file of the member that came last */
  uint32_t reserved; /**< 0 */
  pk_str name; /**< of the op */
  pk_str kind; /**< "all-reduce"; "" where nothing names it */
  pk_str process_group; /**< as on record; "" of everyone, or where none is on record */
  int64_t start_gap_ps; /**< latest start - first start */
  int64_t order_gap_ps; /**< start of who must be waited for - end of who waits; 0 or more is out of order */
  int64_t bound_ps; /**< how far both clocks together can be wrong */
  int64_t span_ps; /**< first start to last end; -1: clocks are not known well enough */
  int64_t moving_ps; /**< last start to last end; -1: not known */
  int64_t payload_bytes; /**< what it moves; -1: not known, or members differ */
  int64_t link_bytes; /**< what each link carries at least: over moving_ps it is the bus bandwidth */
  int64_t latest_node; /**< id of the node that began last; -1 where several did */
  uint32_t call; /**< number among the calls of the op by its group */
  uint32_t members; /**< devices that took part */
  int32_t latest_device; /**< local number of the device that came last */
  uint32_t flags; /**< PK_CALL_ */
} pk_collective_call;
/* end of row of collective_calls */

/* row of findings: written by scripts/generate */
/** A statement about the capture, with the place that shows it: those of a report. A row of PK_TABLE_FINDINGS.
 *  Filters that the table takes: host, plane, step, time. Frozen; text is borrowed from what gave the row.
 *  \since 0.1 */
typedef struct pk_finding {
  uint32_t file; /**< position of the file of the evidence */
  int32_t device; /**< position in devices; -1: the evidence is of none */
  pk_str id; /**< "bubbles.cause.launch_bound"; the next of its kind ends in ".2" */
  int64_t recoverable_ps; /**< time that could be won back; -1: it is not about time */
  int64_t recoverable_bytes; /**< memory that could be won back; -1: it is not about memory */
  pk_str what; /**< one sentence */
  pk_str place; /**< for people */
  int64_t step; /**< position in steps: that in which the evidence begins; -1: none */
  pk_str step_id; /**< of that step; "": none */
  int64_t start_ps; /**< of the evidence, capture's clock; PK_NO_TIME_PS: it is no span */
  int64_t end_ps; /**< of the evidence, capture's clock */
  pk_str evidence; /**< what stands there; of further places "; " between them */
  pk_str next; /**< what to do or look at next */
  int32_t certainty; /**< PK_CERTAINTY_: how sure it is */
  uint32_t reserved; /**< 0 */
} pk_finding;
/* end of row of findings */

/* enum group_key: written by scripts/generate */
/** What ops are grouped by. Of an XSpace op, module, phase and source are what the op's metadata says (`tf_op`,
 *  `source`). \since 0.1 */
enum {
  PK_GROUP_BY_KERNEL = 0,         /**< the name of the kernel */
  PK_GROUP_BY_FUNCTION = 1,       /**< what that runs, without template arguments: "at::native::MulFunctor" */
  PK_GROUP_BY_INSTRUCTION = 2,    /**< of the compiled program: "fusion.3" */
  PK_GROUP_BY_OP = 3,             /**< the framework's operator that made it: "aten::addmm", "dot_general" */
  PK_GROUP_BY_OUTER_OP = 4,       /**< the outermost operator around that: "aten::linear" */
  PK_GROUP_BY_MODULE = 5,         /**< modules and scopes, one inside the other: "BertLayer_3", "Linear_0" */
  PK_GROUP_BY_KIND_OF_MODULE = 6, /**< the innermost module without its number: "Linear" */
  /** ranges that the user marked (record_function, NVTX, rocTX) and that were open at the launch, one inside the
     *  other */
  PK_GROUP_BY_RANGE = 7,
  PK_GROUP_BY_SOURCE = 8,         /**< the line of code: "model.py(31): forward", "model.py:31" */
  PK_GROUP_BY_PHASE = 9,          /**< forward, recomputation, backward, optimizer */
  PK_GROUP_BY_SHAPE = 10,         /**< of the operator's inputs */
  /** "step 3", as query_filters::step counts the steps of a device; "" of what began in none */
  PK_GROUP_BY_STEP = 11,
  /** what work it is: "compute", "communication", or how it moves data: "transpose", "cast", "copy to device" */
  PK_GROUP_BY_KIND = 12,
  PK_GROUP_BY_CATEGORY = 13,      /**< compute, comm, copy; as an XSpace writes it ("convolution fusion") */
  PK_GROUP_BY_PROGRAM = 14,       /**< the compiled program */
  PK_GROUP_BY_STREAM = 15,        /**< the line of the device */
  PK_GROUP_BY_DEVICE = 16
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_group_key_name(int32_t value) PK_NOEXCEPT;
/* end of enum group_key */
/* row of op_groups: written by scripts/generate */
/** Time of a device's ops that have an operator, a module, a phase, … in common. Rows of a device and a key that
 *  lie in no other add up to its busy time. A row of PK_TABLE_OP_GROUPS. Filters that the table takes: host,
 *  plane, line, name, step, time. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_op_group {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices; -1: ops of a host */
  int64_t parent; /**< position of the row that it lies in; -1: none */
  pk_str name; /**< "": ops of which that is not recorded */
  uint64_t count; /**< executions */
  int64_t self_ps; /**< with what lies in rows below */
  int64_t total_ps; /**< summed durations */
  int64_t own_ps; /**< of self_ps, what lies in no row below */
  int64_t worked_ps; /**< of self_ps, that of ops of which it is known what they do */
  int64_t flops; /**< floating-point operations that these ops do; flop */
  int64_t bytes; /**< what they move from and to memory; bytes */
  int64_t attainable_ps; /**< what ops of known work would take at least at the rates of their device */
  int64_t compute_bound_ps; /**< self time of ops that reach 60 % of the rate for their operations */
  int64_t memory_bound_ps; /**< self time of ops that reach 60 % of the rate of the memory that their bytes are in */
  int64_t neither_bound_ps; /**< self time of other ops of known work */
  /** PK_GROUP_BY_: what they have in common: op, outer-op, module, module-kind, range, source, phase, kind,
   *  category or program */
  int32_t by;
  uint32_t depth; /**< how many rows it lies in */
} pk_op_group;
/* end of row of op_groups */

/** Flags of pk_collective. \since 0.1 */
enum {
  PK_COLLECTIVE_ON_STREAM = 1, /**< a kernel: other streams of its device may compute meanwhile */
  PK_COLLECTIVE_IS_HALF = 2    /**< the start or the done of an asynchronous operation */
};
/* row of collectives: written by scripts/generate */
/** Totals of one communication op on one line. A row of PK_TABLE_COLLECTIVES. Filters that the table takes: host,
 *  plane, line, name, step, time, limit. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_collective {
  uint32_t file; /**< position of the file */
  int32_t device; /**< position in devices; -1: ops of a host */
  pk_str plane; /**< name of the plane */
  pk_str name; /**< as recorded */
  pk_str category; /**< "all-reduce", …; of a kernel whose name spells none the library ("nccl") */
  uint64_t count; /**< executions */
  int64_t total_ps; /**< of all executions */
  int64_t min_ps; /**< shortest execution */
  int64_t max_ps; /**< longest execution */
  uint32_t flags; /**< PK_COLLECTIVE_ */
  uint32_t reserved; /**< 0 */
} pk_collective;
/* end of row of collectives */

/** Flags of pk_table_options. \since 0.1 */
enum {
  PK_TABLE_SKIP_DAMAGE = 1, /**< the rows end where damage begins, instead of failing there */
  PK_TABLE_PLAIN_TEXT = 2,  /**< Arrow: names as UTF-8 instead of dictionaries, for engines that refuse those */
  PK_TABLE_SIGNED = 4,      /**< Arrow: unsigned columns as int64; a value past INT64_MAX fails with PK_E_LIMIT */
  PK_TABLE_ONE_FILE = 8,    /**< events: of pk_table_options::file alone; otherwise of all files but exports of others */
  /** filters that fit nothing give no rows, and no error: for engines that hand their conditions down, over many captures */
  PK_TABLE_ALLOW_EMPTY = 16
};

/** How a table comes. \since 0.1 */
typedef struct pk_table_options {
  uint32_t struct_size;               /**< sizeof(pk_table_options) */
  uint32_t flags;                     /**< PK_TABLE_SKIP_DAMAGE, … */
  uint64_t batch_rows;                /**< Arrow: most rows of a batch, up to 2^30; 0: 65,536 */
  const char* const* columns;         /**< Arrow: names of the columns that come, in this order, each once; NULL: all */
  size_t column_count;
  const pk_filters* filters;          /**< those that docs/tables.md says of the table; NULL: everything */
  uint64_t limit;                     /**< most rows of one line, of tables that docs/tables.md says it of; 0, PK_LIMIT_NONE: all */
  const pk_hooks* hooks;              /**< used while the table is opened; NULL: none */
  uint32_t file;                      /**< with PK_TABLE_ONE_FILE */
  uint32_t reserved;                  /**< 0 */
} pk_table_options;
/** \since 0.1 */
#define PK_TABLE_OPTIONS_INIT \
  { sizeof(pk_table_options), 0, 0, NULL, 0, NULL, 0, NULL, 0, 0 }

/** Rows of one table, given once and in order: as structs, or as an Arrow stream. One thread at a time uses it. Ownership: it
 *  holds a reference to the handle that it was opened on. \since 0.1 */
typedef struct pk_table pk_table;

/** Opens a table of a profile and runs the analysis that it needs, with default options. `options` may be NULL. Which filters a
 *  table takes the comment of its struct says, and docs/tables.md. A table without rows is no failure. probe_records are opened by pk_probe_records_table().
 *  Ownership: the caller ends `*out` with pk_table_free(); it holds a reference to `profile`. Errors: PK_E_INVALID_ARGUMENT (no
 *  such table; a filter that it does not take, or that fits nothing, without PK_TABLE_ALLOW_EMPTY), PK_E_CANCELLED, PK_E_LIMIT, PK_E_OUT_OF_MEMORY.
 *  \since 0.1 */
PK_API pk_status pk_table_open(pk_profile* profile, int32_t table, const pk_table_options* options, pk_table** out,
                               pk_error** err) PK_NOEXCEPT;
/** Opens the table of the kernels of an activity that was opened with options of its own. Ownership: the caller ends `*out`
 *  with pk_table_free(); it holds a reference to `activity`. Errors: as pk_table_open(). \since 0.1 */
PK_API pk_status pk_activity_table(pk_activity* activity, const pk_table_options* options, pk_table** out,
                                   pk_error** err) PK_NOEXCEPT;
/** Opens a table of an analysis: PK_TABLE_STEPS, PK_TABLE_GAPS, PK_TABLE_CAUSES or PK_TABLE_DEVICE_TIME. Ownership: the caller
 *  ends `*out` with pk_table_free(); it holds a reference to `bubbles`, from which the text of its rows is borrowed. Errors: as
 *  pk_table_open(). \since 0.1 */
PK_API pk_status pk_bubbles_table(pk_bubbles* bubbles, int32_t table, const pk_table_options* options, pk_table** out,
                                  pk_error** err) PK_NOEXCEPT;
/** Opens a table of an analysis: PK_TABLE_LIVE_BUFFERS, PK_TABLE_LIVE_CURVE or PK_TABLE_ALLOCATORS. Ownership: the caller ends
 *  `*out` with pk_table_free(); it holds a reference to `memory`, from which the text of its rows is borrowed. Errors: as
 *  pk_table_open(). \since 0.1 */
PK_API pk_status pk_memory_table(pk_memory* memory, int32_t table, const pk_table_options* options, pk_table** out,
                                 pk_error** err) PK_NOEXCEPT;
/** Opens the table of the launches of a Neutrino trace. Ownership: the caller ends `*out` with pk_table_free(); it holds a
 *  reference to `probe`, from which the text of its rows is borrowed. Errors: as pk_table_open(). \since 0.1 */
PK_API pk_status pk_probe_table(pk_probe* probe, const pk_table_options* options, pk_table** out,
                                pk_error** err) PK_NOEXCEPT;
/** Opens the table of the records of one map of a record file. Ownership: the caller ends `*out` with pk_table_free(); it holds
 *  a reference to `probe`. Errors: as pk_table_open(), and those of pk_probe_records_open(). \since 0.1 */
PK_API pk_status pk_probe_records_table(pk_probe* probe, size_t bin, uint32_t map, const pk_table_options* options,
                                        pk_table** out, pk_error** err) PK_NOEXCEPT;
/** Frees a table; NULL is fine. A stream that was made of it lives on. \since 0.1 */
PK_API void pk_table_free(pk_table* table) PK_NOEXCEPT;

/* enum column_type: written by scripts/generate */
/** What the values of a column are. A name is text that repeats. \since 0.1 */
enum {
  PK_COLUMN_INT64 = 0,
  PK_COLUMN_UINT64 = 1,
  PK_COLUMN_INT32 = 2,
  PK_COLUMN_UINT32 = 3,
  PK_COLUMN_BOOLEAN = 4,
  PK_COLUMN_TEXT = 5,
  PK_COLUMN_NAME = 6     /**< text that repeats: a dictionary */
};
/** What documents call a value of these; "" for what is none. Ownership: static. \since 0.1 */
PK_API const char* pk_column_type_name(int32_t value) PK_NOEXCEPT;
/* end of enum column_type */
/* row of columns: written by scripts/generate */
/** A column of a table. Frozen; text is borrowed from what gave the row. \since 0.1 */
typedef struct pk_column {
  pk_str name; /**< by which its values are asked for */
  pk_str unit; /**< "ps", "bytes", …; "" without */
  pk_str meaning; /**< one sentence */
  int32_t type; /**< PK_COLUMN_: what its values are */
  uint32_t reserved; /**< 0 */
} pk_column;
/* end of row of columns */
/** Number of columns of a table, also of those that the options leave out; 0 for NULL. \since 0.1 */
PK_API uint32_t pk_table_column_count(const pk_table* table) PK_NOEXCEPT;
/** A column by its position. Ownership: text is borrowed from `table`. Errors: PK_E_INVALID_ARGUMENT (no such column).
 *  \since 0.1 */
PK_API pk_status pk_table_column_get(const pk_table* table, uint32_t column, pk_column* out,
                                     pk_error** err) PK_NOEXCEPT;

/** Reads the next rows, up to `capacity`, into an array of the table's struct, whose size is `row_size`, and says in `*count`
 *  how many. PK_OK means at least one, PK_END none. `rows` may be NULL and `row_size` 0: then pk_table_values() alone shows
 *  them. Ownership: text of the rows is borrowed from `table`, where its opener promises no more. Errors:
 *  PK_E_INVALID_ARGUMENT (another size; capacity 0), PK_E_UNSUPPORTED (a table without a struct: events and probe_records come
 *  by Arrow; a table that a stream was made of), PK_E_LIMIT, and damage. \since 0.1 */
PK_API pk_status pk_table_read(pk_table* table, void* rows, size_t row_size, size_t capacity, size_t* count,
                               pk_error** err) PK_NOEXCEPT;
/** The values of one column, by its name, of the rows that pk_table_read() gave last: also of columns that are in no struct, as
 *  `host` and those of later versions. `kind` is PK_VALUE_INT64, PK_VALUE_UINT64 (also of booleans) or PK_VALUE_TEXT, 0 where
 *  the value is not known. `capacity` has to be at least the number of those rows, which `*count` says. Ownership: text of the
 *  values is borrowed from `table` until the next read. Errors: PK_E_INVALID_ARGUMENT. \since 0.1 */
PK_API pk_status pk_table_values(pk_table* table, const char* column, pk_value* values, size_t capacity, size_t* count,
                                 pk_error** err) PK_NOEXCEPT;
/** Makes an Arrow stream of the rows that are left. They are read when the consumer asks for them.
 *
 *  Ownership: the caller ends `*out` with out->release(out), which is NULL after a failure.
 *  The stream holds its own reference to the table, and every batch, child and dictionary owns what it shows: handles,
 *  streams and arrays may be released in any order. One thread at a time uses a stream.
 *
 *  The metadata of a field names its `unit` ("ps", "ns", "bytes", …). What is not UTF-8 in a file becomes U+FFFD. What
 *  is not known is null. Columns that were not asked for cost nothing, or little: name those you need.
 *
 *  Damage: the rows before it come first; then get_next fails and get_last_error() says what pk_error would, unless
 *  PK_TABLE_SKIP_DAMAGE is set.
 *
 *  Errors: PK_E_INVALID_ARGUMENT (of a column that is not there the hint names those that are), PK_E_UNSUPPORTED (rows
 *  were read, or another stream was made), PK_E_OUT_OF_MEMORY. \since 0.1 */
PK_API pk_status pk_table_arrow(pk_table* table, struct ArrowArrayStream* out, pk_error** err) PK_NOEXCEPT;

/** Writes the rows that are left as text: RFC 4180 with a line of names, all 64-bit integers as numbers. Null is an empty cell.
 *  `options` of the table choose the columns. Errors: as pk_table_read(), and PK_E_CANCELLED (`write` gave non-zero).
 *  \since 0.1 */
PK_API pk_status pk_table_write_csv(pk_table* table, pk_write_callback write, void* user, pk_error** err) PK_NOEXCEPT;
/** Writes the rows that are left as one JSON object a line, all 64-bit integers as numbers. Errors: as pk_table_write_csv().
 *  \since 0.1 */
PK_API pk_status pk_table_write_json(pk_table* table, pk_write_callback write, void* user, pk_error** err) PK_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
