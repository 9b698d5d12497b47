#include "command_line/commands.hpp"

namespace profkit_tool {

extern const command_description report_command;
extern const command_description explain_command;
extern const command_description info_command;
extern const command_description tree_command;
extern const command_description metadata_command;
extern const command_description steps_command;
extern const command_description ops_command;
extern const command_description roofline_command;
extern const command_description modules_command;
extern const command_description framework_command;
extern const command_description collectives_command;
extern const command_description memory_command;
extern const command_description bubbles_command;
extern const command_description architecture_command;
extern const command_description export_command;
extern const command_description rows_command;
extern const command_description sql_command;
extern const command_description fleet_command;
extern const command_description merge_command;
extern const command_description validate_command;
extern const command_description diff_command;
extern const command_description snapshot_command;
extern const command_description neutrino_command;
extern const command_description dump_command;

std::vector<const command_description*> all_commands() {
  return {
      &report_command,
      &explain_command,
      &info_command,
      &tree_command,
      &metadata_command,
      &steps_command,
      &ops_command,
      &roofline_command,
      &modules_command,
      &framework_command,
      &collectives_command,
      &memory_command,
      &bubbles_command,
      &architecture_command,
      &export_command,
      &rows_command,
      &sql_command,
      &fleet_command,
      &merge_command,
      &validate_command,
      &diff_command,
      &snapshot_command,
      &neutrino_command,
      &dump_command,
  };
}

}  // namespace profkit_tool
