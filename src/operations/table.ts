// What a command line needs of every operation before it loads one: words, options and places. The build puts the finished rows in
// the place of this file, so that a command reads neither the operations nor what parses their inputs.
import { ALL, SUBJECTS } from './all.ts';
import type { Subject } from './operation.ts';
import { type OperationRow, rowOf } from './row.ts';

/** By name. */
export const ROWS: Readonly<Record<string, OperationRow>> = Object.fromEntries(
  ALL.map((each) => [each.name, rowOf(each)]),
);

/** By command. */
export const SUBJECT_ROWS: Readonly<Record<string, Subject>> = Object.fromEntries(
  SUBJECTS.map((each) => [each.command, each]),
);
