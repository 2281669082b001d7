// The address of each operation, for a client elsewhere. The build replaces this file by finished values.
import type { HttpPlace } from './operation.ts';
import { ROWS } from './table.ts';

export const PLACES: Readonly<Record<string, HttpPlace>> = Object.fromEntries(
  ROWS.flatMap(({ name, http }) => {
    if (http === null) return [];
    const { method, path, guard, given } = http;
    return [[name, { method, path, ...(guard && { guard }), ...(given && { given }) }]];
  }),
);
