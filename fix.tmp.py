import re,subprocess
def sub(p,*pairs):
    s=open(p).read()
    for a,b in pairs:
        assert a in s,(p,a); s=s.replace(a,b,1)
    open(p,'w').write(s)
sub('test/core/rules/access.test.ts',("// Which access level has which operations (C6), as a table.\n",""))
sub('test/agents/command/preset-folders.test.ts',("\\nthe room alone, and","\n// the room alone, and"),("// An agent whose folder holds the room: what its program is told so that it leaves the room alone.\n",""))
sub('test/core/time/dates.test.ts',("// Dates as a person types them, read on Wednesday 2 December 2026, 12:00.\n","// Dates as a person types them, durations, and the days and weeks of a moment.\n"),("const NOW = new Date(2026, 11, 2, 12)","// The dates are read on Wednesday 2 December 2026, 12:00.\nconst NOW = new Date(2026, 11, 2, 12)"))
s=open('test/pulse/queue.test.ts').read()
c="// What every queue must do, whatever holds its requests. A new queue passes this suite before anything uses it.\n"
assert c in s
open('test/pulse/queue.test.ts','w').write(c+s.replace(c,''))
