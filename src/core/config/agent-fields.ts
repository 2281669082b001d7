// The value readers that only agents' files and commands need, beside those that all settings share.
import type { EnvValue } from './agent-config.ts';
import { parseChecks } from './check-list.ts';
import { wrong } from './config-fields.ts';
import { show } from './shown-value.ts';

export function shellCommand(value: unknown) {
  const list = typeof value === 'string' ? parseChecks(value) : null;
  return list === null ? wrong(value, 'a shell command') : { value: list[0]! };
}

const isText = (item: unknown): item is string => typeof item === 'string' && !item.includes('\0');

export function readArguments(value: unknown) {
  const ok = Array.isArray(value) && value.every(isText);
  const expected = 'a list of texts, one an argument';
  return ok ? { value: value as string[] } : { fault: `${show(value)} is no list of arguments`, expected };
}

export function readCommand(value: unknown) {
  const expected = 'a command: one text for the shell, or a list with the program first';
  if (isText(value) && value.trim() !== '') return { value: ['sh', '-c', value] };
  const ok = Array.isArray(value) && value.length > 0 && value.every(isText) && value[0]!.trim() !== '';
  return ok ? { value: value as string[] } : { fault: `${show(value)} is not a command`, expected };
}

export function readEnv(value: unknown) {
  const expected = 'a map of variable names to texts, or to {"from": "NAME"}';
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { fault: 'not a map', expected };
  }
  const env: Record<string, EnvValue> = {};
  for (const [name, entry] of Object.entries(value)) {
    if (!isVariable(name))
      return { fault: `${show(name)} can't be a variable's name`, expected: 'letters, digits and _' };
    if (/^(AGENT_ROOM$|TASKROOM_)/.test(name)) {
      return { fault: `${name} is set by the runtime`, expected: 'another name' };
    }
    // Its value stays out of the message: it may be a secret.
    if (!isEnvValue(entry)) return { fault: `${name} has a value of another kind`, expected };
    env[name] = entry;
  }
  return { value: env };
}

/** The name of an environment variable: what it holds is a secret, and stays out of the file. */
export function readVariableName(value: unknown) {
  if (isVariable(value)) return { value };
  const expected = 'the name of an environment variable, such as TASKROOM_WEBHOOK';
  const hint =
    typeof value === 'string' && /^https?:/i.test(value) ? { hint: 'put the address into a variable' } : {};
  return { fault: 'not the name of a variable', expected, ...hint };
}

function isVariable(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== '__proto__';
}

function isEnvValue(entry: unknown): entry is EnvValue {
  if (typeof entry === 'string') return !entry.includes('\0');
  if (entry === null || typeof entry !== 'object') return false;
  return Object.keys(entry).length === 1 && 'from' in entry && isVariable(entry.from);
}
