// What a repository's own configuration may have git run. An agent that works in the repository can write it.

/** Keys whose value is a program, or lets one be named; or by which what the person sends another server gets to see. */
const RUNS = [
  /^(filter\..+\.(clean|smudge|process|required)|diff\.external|diff\..+\.(textconv|command)|merge\..+\.driver)$/s,
  /^(core\.(sshcommand|askpass|alternaterefscommand)|credential\.(.+\.)?helper|hook\..+\.command)$/s,
  /^(http\.(.+\.)?(sslverify|proxy|curloptresolve|savecookies)|remote\..+\.proxy|gc\.recentobjectshook)$/s,
  /^(gpg\.(.+\.)?(program|defaultkeycommand)|remote\..+\.vcs|protocol\.(.+\.)?allow)$/s,
];

/** Of these the first value counts, the repository's own before ours: a variable has git do without. */
const DONE_WITHOUT: readonly [key: RegExp, variables: Readonly<Record<string, string>>][] = [
  [/^core\.gitproxy$/, { GIT_PROXY_COMMAND: '' }],
  // What is missing it would fetch with the program that stands there.
  [/^remote\..+\.uploadpack$/s, { GIT_NO_LAZY_FETCH: '1' }],
];

/** Arguments that have git name every setting with the place it stands in. */
export const LIST_SETTINGS = ['config', '--list', '--show-scope', '-z'];

/** Variables by which git takes what is a program from the person's and the machine's settings, `listed` by LIST_SETTINGS, alone. */
export function settingsOfPerson(listed: string): Record<string, string> {
  const parts = listed.split('\0');
  const own: [key: string, value: string][] = [];
  const inside = new Set<string>();
  const without: Record<string, string> = {};
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = '', ...value] = parts[at + 1]!.split('\n');
    const isPersons = parts[at] === 'system' || parts[at] === 'global';
    for (const [pattern, variables] of DONE_WITHOUT)
      if (!isPersons && pattern.test(key)) Object.assign(without, variables);
    if (!RUNS.some((pattern) => pattern.test(key))) continue;
    if (isPersons) own.push([key, value.join('\n')]);
    else inside.add(key);
  }
  const settings: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['log.showSignature', 'false'],
    ['submodule.recurse', 'false'],
  ];
  for (const key of inside) settings.push(neutral(key));
  // A list of helpers begins anew behind an empty one.
  const isHelper = (key: string) => key.startsWith('credential.');
  const hasHelper = [...inside].some(isHelper);
  settings.push(...own.filter(([key]) => inside.has(key) || (hasHelper && isHelper(key))));
  return Object.fromEntries([
    ...Object.entries(without),
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
}

function neutral(key: string): [key: string, value: string] {
  if (key === 'core.sshcommand') return [key, 'ssh'];
  // All values of this list run, so that only going without the whole helps.
  if (key === 'gc.recentobjectshook') return ['maintenance.auto', 'false'];
  if (/\.(required|savecookies)$/.test(key)) return [key, 'false'];
  if (key.endsWith('.sslverify')) return [key, 'true'];
  if (key.startsWith('protocol.')) return [key, key === 'protocol.ext.allow' ? 'never' : 'user'];
  return [key, ''];
}
