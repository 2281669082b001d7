// Where each operation is over HTTP: all that a client elsewhere needs of it. The build puts finished rows in the place of this file.
import type { HttpPlace } from './operation.ts';
import { ROWS } from './table.ts';

/** By name. */
export const PLACES: Readonly<Record<string, HttpPlace>> = Object.fromEntries(
  ROWS.flatMap(({ name, http }) => {
    if (http === null) return [];
    const { method, path, guard, given } = http;
    return [[name, { method, path, ...(guard && { guard }), ...(given && { given }) }]];
  }),
);
