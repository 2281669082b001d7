import re,subprocess
for l in subprocess.check_output(['git','status','--short','test'],text=True).splitlines():
    if l.startswith(' D'): continue
    p=l[3:]
    if not p.endswith('.ts'): continue
    s=open(p).read(); o=s
    s=re.sub(r'\A((?:// .*\n)+)\n(?=import)',r'\1',s)
    m=re.search(r"import \{([^}]*)\} from 'vitest';",s)
    if m and re.search(r'\bit\b',m[1]) and re.search(r'\btest\b',m[1]):
        s=s.replace(m[0],re.sub(r'\bit, ','',m[0]))
        s=re.sub(r'^(\s*)it(?=[.(<])',r'\1test',s,flags=re.M)
        print('it->test',p)
    if s!=o: open(p,'w').write(s); print(p)
