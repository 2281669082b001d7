// What of the room an event touches: views name the topics they show, and look again when one of them was touched.
import type { ToldEvent } from '../api/shapes.ts';

export type Topic =
  | 'tasks'
  | 'turns'
  | 'inbox'
  | 'agents'
  | 'chores'
  | 'mirrors'
  | 'figures'
  | 'status'
  | 'plans'
  | 'jobs';

/** What no event tells of: looked at again and again while it is shown. */
export const UNTOLD: readonly Topic[] = ['plans', 'jobs'];

export const TOPICS: readonly Topic[] = [
  'tasks',
  'turns',
  'inbox',
  'agents',
  'chores',
  'mirrors',
  'figures',
  'status',
  'plans',
  'jobs',
];

/** By the first word of an event's type. */
const TOUCHES: Readonly<Record<string, readonly Topic[]>> = {
  task: ['tasks', 'inbox'],
  tasks: ['tasks', 'inbox', 'status'],
  question: ['tasks', 'inbox'],
  turn: ['tasks', 'turns', 'agents', 'status', 'inbox'],
  agent: ['agents', 'status', 'tasks'],
  chore: ['chores', 'inbox'],
  sync: ['chores', 'mirrors'],
  mirror: ['mirrors', 'inbox', 'tasks'],
  person: ['inbox'],
  config: ['agents', 'inbox', 'status'],
  room: ['status', 'inbox'],
};
/** Events that end something are what figures count. */
const COUNTED = new Set<ToldEvent['type']>(['task.changed', 'turn.ended', 'sync.finished', 'task.archived']);

export function topicsOf({ type }: ToldEvent): readonly Topic[] {
  const touched = TOUCHES[type.slice(0, type.indexOf('.'))] ?? [];
  return COUNTED.has(type) ? [...touched, 'figures'] : touched;
}
