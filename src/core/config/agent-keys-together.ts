// What the keys of an agent.json must say together, beside what each of them takes.
import type { Problem } from '../errors.ts';
import type { ConfigSource } from './config-source.ts';

/** Of raw data, beside other problems too. @param foreign keys the agent's runner does not know, with the runners that do */
export function checkTogether(
  { data, placeAt }: ConfigSource,
  path: string,
  foreign: ReadonlyMap<string, readonly string[]>,
): Problem[] {
  const said = (data ?? {}) as Readonly<Record<string, unknown>>;
  const has = (key: string): boolean => Object.hasOwn(said, key) && said[key] !== null;
  const problems: Problem[] = [];
  const tell = (key: string, message: string, expected: string) =>
    problems.push({ path, ...placeAt(has(key) ? [key] : [], 'key'), message, expected });

  for (const [key, runners] of foreign) {
    if (!has(key)) continue;
    const [only, ...others] = runners;
    const whose = others.length === 0 ? `the ${only} runner` : `the runners ${runners.join(', ')}`;
    const expected = others.length === 0 ? `"runner": "${only}"` : `"runner": one of ${runners.join(', ')}`;
    tell(key, `${key} only ${verbOf(key)} to ${whose}`, expected);
  }
  if (said.runner === 'command' || said.runner === 'acp') {
    if (!has('command') && !has('preset')) tell('runner', 'nothing to run', 'command or preset');
    if (has('command') && has('preset'))
      tell('preset', 'command and preset exclude each other', 'one of them');
    const ofPresets = said.runner === 'acp' ? ['args', 'tools'] : ['model', 'args', 'tools'];
    for (const key of has('preset') ? [] : ofPresets.filter(has))
      tell(key, `${key} only ${verbOf(key)} to a preset`, 'a preset beside it');
  }
  if (said.runner === 'model') {
    if (!has('model')) tell('runner', 'no model is named', '"model", as its server calls it');
    if (!has('api')) tell('runner', 'api is missing', '"api": one of anthropic, openai, openai-compatible');
    if (said.api === 'openai-compatible' && !has('base_url'))
      tell('api', 'an openai-compatible server has no address of its own', '"base_url" beside it');
  }
  if (said.tools === 'commands' && has('preset') && (said.permissions ?? 'edit') === 'edit') {
    const why = 'a rule that lets taskroom alone pass lets its redirections write any file';
    const expected = '"permissions": "run" beside it, or "tools": "mcp"';
    tell('tools', `to report by commands takes a shell: ${why}`, expected);
  }
  const ofRepository =
    has('workspace') &&
    ['repository', 'repositories'].some((key) => Object.hasOwn(Object(said.workspace), key));
  if (has('workspace') && !ofRepository && !has('cwd'))
    tell('workspace', 'a workspace is made of a git project', '"cwd" to name it');
  if (ofRepository && /^[/\\~]|(^|\/)\.\.(\/|$)/.test(String(said.cwd ?? '')))
    tell('cwd', 'cwd leads out of the repository', 'a folder in it');
  for (const key of has('workspace') ? [] : ['hooks', 'hook_timeout'].filter(has))
    tell(key, `${key} only applies to a workspace`, 'a workspace beside it');
  return problems;
}

const verbOf = (key: string): string => (key.endsWith('s') ? 'apply' : 'applies');
