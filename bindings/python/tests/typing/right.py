"""What a type checker must take."""
import profkit

with profkit.open("a.xplane.pb", one_pass=True) as profile:
    profile.table("ops", columns=["name"], host="a", limit=3)
    profile.ops_table(event="x", from_ps=1)
    profile.memory(host="a", step_policy="last").table("live_buffers", columns=["size_bytes"])
    profile.bubbles(device="0").steps_table(columns=["busy_ps"])
    profile.document("ops", host="a", threads=2)
    profile.export("a.pftrace", "pftrace", waits=True)
    names = [kernel.name for kernel in profile.kernels(details=False)]
    total: int = len(profile.kernels()) + sum(len(name) for name in names)
profkit.validate(profile, align=True)
