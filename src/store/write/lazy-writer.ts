// A writer that is loaded at its first use: it brings the parsers, which commands that only read can do without.

import { createWritesTable } from '../ledger/writes/writes.ts';
import type { Writer, WriterOptions } from './writer.ts';

export function createLazyWriter(options: WriterOptions): Writer {
  const writes = createWritesTable(options.database);
  let loading: Promise<Writer> | null = null;
  const load = (): Promise<Writer> => {
    loading ??= import('./writer.ts').then(({ createWriter }) => createWriter(options));
    return loading;
  };
  return {
    edit: async (...call) => (await load()).edit(...call),
    create: async (...call) => (await load()).create(...call),
    createMany: async (...call) => (await load()).createMany(...call),
    restore: async (...call) => (await load()).restore(...call),
    settleOldInodes: async (...call) => (await load()).settleOldInodes(...call),
    known: (key) => writes.entries.byKey(key),
    isOurs: (path, hash) => writes.isOurs(path, hash),
    close: async () => (await loading)?.close(),
  };
}
