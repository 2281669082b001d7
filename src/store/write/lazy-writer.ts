// A writer that is loaded at its first use: it brings the parsers, which commands that only read can do without.

import { createWritesTable } from '../ledger/writes/writes.ts';
import type { Writer, WriterOptions } from './writer.ts';

/** The same as `createWriter`, made when something is written. */
export function createLazyWriter(options: WriterOptions): Writer {
  const writes = createWritesTable(options.database);
  let loading: Promise<Writer> | null = null;
  const load = (): Promise<Writer> => {
    loading ??= import('./writer.ts').then(({ createWriter }) => createWriter(options));
    return loading;
  };
  return {
    edit: async (path, change) => (await load()).edit(path, change),
    create: async (path, text, by) => (await load()).create(path, text, by),
    createMany: async (files, creation) => (await load()).createMany(files, creation),
    restore: async (path, isDry) => (await load()).restore(path, isDry),
    settleOldInodes: async (ageMs) => (await load()).settleOldInodes(ageMs),
    known: (key) => writes.entries.byKey(key),
    isOurs: (path, hash) => writes.isOurs(path, hash),
    async close() {
      if (loading !== null) await (await loading).close();
    },
  };
}
