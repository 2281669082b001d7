// Every operation as data: its name, the shape of its input, what it needs of whoever asks, and its run. What carries
// operations from elsewhere (a turn's bridge, MCP, HTTP) carries these, never command lines.
import type { Operations } from '../contract/operations.ts';
import { BRIEF } from './brief.ts';
import { BULK } from './bulk.ts';
import { CHANGING } from './changing.ts';
import type { OperationEntry } from './entry.ts';
import { JOBS } from './jobs.ts';
import { LINKS } from './links.ts';
import { NOTICES } from './notices.ts';
import { PLANS } from './plans.ts';
import { QUESTIONS } from './questions.ts';
import { READING } from './reading.ts';
import { SCOPES } from './scopes.ts';
import { STATS } from './stats.ts';
import { STEPS } from './steps.ts';
import { TURNS } from './turns.ts';

export type { OperationEntry } from './entry.ts';

const ALL = [
  ...READING,
  ...BRIEF,
  ...CHANGING,
  ...STEPS,
  ...LINKS,
  ...BULK,
  ...PLANS,
  ...SCOPES,
  ...JOBS,
  ...TURNS,
  ...NOTICES,
  ...QUESTIONS,
  ...STATS,
];

// Compiles only while every operation has its entry.
const _complete: Exclude<keyof Operations, (typeof ALL)[number]['name']> extends never ? true : never = true;
void _complete;

/** By name. */
export const OPERATIONS: ReadonlyMap<string, OperationEntry> = new Map(
  ALL.map((each) => [each.name, each as OperationEntry]),
);
