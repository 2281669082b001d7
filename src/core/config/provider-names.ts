// Names a mirror can give as its provider: those that come with the product, and those a room brings in files.

import * as z from 'zod';
import { BUILT_IN_PROVIDERS } from './built-in-providers.ts';
import { kind, mapOf } from './values.ts';

/** Words with a meaning of their own in a task's `remote:` or `requester:`. */
const RESERVED: readonly string[] = [...BUILT_IN_PROVIDERS, 'local', 'owner', 'agent', 'task', 'chore'];
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
// A scheme would make another kind of address of it: data:, https:.
const MODULE_FILE = /^(?![A-Za-z][A-Za-z0-9+.-]+:)[^\u0000-\u001f\u007f]*\.(mjs|js|mts|ts)$/;

/** `providers:` of room.yaml: names of the room's own, each with the file that exports its `factory`. */
export function providers() {
  const name = z
    .string()
    .regex(NAME)
    .refine((text) => !RESERVED.includes(text), {
      error: '%s is taken',
      params: { expected: 'another name' },
    });
  const file = z.string().max(1000).regex(MODULE_FILE);
  return kind(
    mapOf(
      kind(name, 'name', 'a provider name: a small letter, then small letters, digits, -'),
      kind(file, 'file', 'a file: a path that ends in .mjs, .js, .mts or .ts'),
    ),
    'map of names to files',
    'a map of names to files, such as jira: ./providers/jira.mjs',
  );
}
