// Names a mirror can give as its provider: those that come with the product, and those a room brings in files.
import { BUILT_IN_PROVIDERS } from './built-in-providers.ts';
import { type Found, wrong } from './config-fields.ts';
import { show } from './shown-value.ts';

/** Words with a meaning of their own in a task's `remote:` or `requester:`. */
const RESERVED: readonly string[] = [...BUILT_IN_PROVIDERS, 'local', 'owner', 'agent', 'task', 'chore'];
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const MODULE_FILE = /\.(mjs|js|mts|ts)$/;

/** `providers:` of room.yaml: names of the room's own, each with the file that exports its `factory`. */
export function readProviders(value: unknown): Found<Record<string, string>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { fault: 'not a map', expected: 'a name and a file, such as jira: ./providers/jira.mjs' };
  }
  const files: Record<string, string> = {};
  for (const [name, file] of Object.entries(value)) {
    if (!NAME.test(name))
      return wrong(name, 'a provider name: a small letter, then small letters, digits, -');
    if (RESERVED.includes(name)) return { fault: `${show(name)} is taken`, expected: 'another name' };
    if (!isModuleFile(file)) return wrong(file, 'a file: a path that ends in .mjs, .js, .mts or .ts');
    files[name] = file;
  }
  return { value: files };
}

function isModuleFile(file: unknown): file is string {
  if (typeof file !== 'string' || file.length > 1000 || !MODULE_FILE.test(file)) return false;
  // A scheme would make another kind of address of it: data:, https:.
  return !/[\u0000-\u001f\u007f]/.test(file) && !/^[a-z][a-z0-9+.-]+:/i.test(file);
}
