// What the keys of an agent.json must say together, beside what each of them takes: which belong to which runner.
import type { Problem } from '../errors.ts';
import { RUNNER_NAMES, type RunnerName } from './agent-config.ts';
import type { ConfigSource } from './config-source.ts';

interface Keys {
  has(key: string): boolean;
  value(key: string): unknown;
  at(key: string, message: string, expected?: string): Problem;
}

/** Looks at the raw data, so that it also speaks up beside other problems. */
export function checkRunner(source: ConfigSource, path: string): Problem[] {
  if (source.data === null || typeof source.data !== 'object' || Array.isArray(source.data)) return [];
  const data = source.data as Record<string, unknown>;
  const has = (key: string): boolean => Object.hasOwn(data, key) && data[key] !== null;
  const keys: Keys = {
    has,
    value: (key) => data[key],
    at(key, message, expected) {
      const place = source.placeAt(has(key) ? [key] : [], 'key');
      return { path, ...place, message, ...(expected === undefined ? {} : { expected }) };
    },
  };
  if (!has('runner'))
    return [keys.at('runner', 'runner is missing', `"runner": one of ${RUNNER_NAMES.join(', ')}`)];
  return [
    ...startProblems(keys),
    ...workspaceProblems(keys),
    ...reportingProblems(keys),
    ...foreignKeys(keys),
  ];
}

function startProblems(keys: Keys): Problem[] {
  const { has, at } = keys;
  switch (keys.value('runner')) {
    case 'command':
    case 'acp':
      if (!has('command') && !has('preset')) return [at('runner', 'nothing to run', 'command or preset')];
      return has('command') && has('preset')
        ? [at('preset', 'command and preset exclude each other', 'one of them')]
        : [];
    case 'model':
      return modelProblems(keys);
    case 'runbook':
      return ['command', 'preset']
        .filter(has)
        .map((key) =>
          at(key, `${key} means nothing to the runbook runner`, 'runner "command", or no such key'),
        );
    default:
      return [];
  }
}

function modelProblems({ has, value, at }: Keys): Problem[] {
  const problems = ['command', 'preset', 'args']
    .filter(has)
    .map((key) => at(key, `${key} means nothing to the model runner`, 'no such key'));
  if (!has('model')) problems.push(at('runner', 'no model is named', '"model", as its server calls it'));
  if (!has('api'))
    problems.push(at('runner', 'api is missing', '"api": one of anthropic, openai, openai-compatible'));
  if (value('api') === 'openai-compatible' && !has('base_url'))
    problems.push(at('api', 'an openai-compatible server has no address of its own', '"base_url" beside it'));
  return problems;
}

function workspaceProblems({ has, value, at }: Keys): Problem[] {
  const problems: Problem[] = [];
  const ofRepository = has('workspace') && typeof value('workspace') === 'object';
  if (has('workspace') && !ofRepository && !has('cwd'))
    problems.push(at('workspace', 'a workspace is made of a git project', '"cwd" to name it'));
  if (ofRepository && /^[/\\~]|(^|\/)\.\.(\/|$)/.test(String(value('cwd') ?? '')))
    problems.push(at('cwd', 'cwd leads out of the repository', 'a folder in it'));
  for (const key of ['hooks', 'hook_timeout'])
    if (has(key) && !has('workspace'))
      problems.push(at(key, `${key} only applies to a workspace`, 'a workspace beside it'));
  return problems;
}

function reportingProblems({ has, value, at }: Keys): Problem[] {
  const runs = has('permissions') && value('permissions') !== 'edit';
  if (value('tools') !== 'commands' || !has('preset') || runs) return [];
  const why = 'a rule that lets taskroom alone pass lets its redirections write any file';
  return [
    at(
      'tools',
      `to report by commands takes a shell: ${why}`,
      '"permissions": "run" beside it, or "tools": "mcp"',
    ),
  ];
}

/** Keys that one runner alone knows. */
const OWN_KEYS: Readonly<Record<string, RunnerName>> = {
  approve: 'acp',
  api: 'model',
  base_url: 'model',
  api_key: 'model',
  max_steps: 'model',
  prices: 'model',
};
/** Runners that know these without a preset. */
const WITHOUT_PRESET: Readonly<Record<string, readonly unknown[]>> = {
  model: ['acp', 'model'],
  // Of the runner model it says above that it means nothing.
  args: ['model'],
  tools: [],
  // Of a program of the room's own they say whether it may start jobs.
  permissions: ['acp', 'model', 'command'],
};

function foreignKeys({ has, value, at }: Keys): Problem[] {
  const runner = value('runner');
  const problems = Object.entries(OWN_KEYS)
    .filter(([key, owner]) => has(key) && runner !== owner)
    .map(([key, owner]) => at(key, `${key} only applies to the ${owner} runner`, `"runner": "${owner}"`));
  for (const [key, runners] of Object.entries(WITHOUT_PRESET)) {
    const verb = key.endsWith('s') ? 'apply' : 'applies';
    if (has(key) && !has('preset') && !runners.includes(runner))
      problems.push(at(key, `${key} only ${verb} to a preset`, 'a preset beside it'));
  }
  return problems;
}
