"""What a type checker must refuse: one error in each line that says so."""
import io

import profkit

with profkit.open("a.xplane.pb") as profile:
    profile.table("ops", hosts="a")                       # error: hosts
    profile.table("op")                                   # error: op
    profile.ops_table(form_ps=1)                          # error: form_ps
    profile.events_table(column=["name"])                 # error: column
    profile.memory(step_polcy="last")                     # error: step_polcy
    profile.memory().table("live_buffers", colums=["a"])  # error: colums
    profile.bubbles(devices="0")                          # error: devices
    profile.bubbles().steps_table(host="a")               # error: host
    profile.architecture(hosts="0")                       # error: hosts
    profile.kernels(detail=False)                         # error: detail
    profile.document("ops", hots="a")                     # error: hots
    profile.document("ops", step="last")                  # error: step
    profile.save_document("ops", "a.json", nmae="a")      # error: nmae
    profile.export("a.pftrace", "pftrace", wait=True)     # error: wait
    profile.neutrino().document("records", blocks=1)      # error: blocks
    profile.files[0].dump(print, fromat="text")           # error: fromat
    profkit.validate(profile, aling=True)                 # error: aling
    profkit.fleet.scan("a/", "ops", hots="a")             # error: hots
profkit.open(io.StringIO(""))                             # error: StringIO
profkit.open("a.xplane.pb", io="magic")                   # error: io
