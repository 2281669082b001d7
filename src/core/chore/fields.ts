// The fields of an issue. Apart from the chore, whose schedules need more than a small command should load.

export const FIELDS = [
  'title',
  'body',
  'status',
  'labels',
  'assignees',
  'priority',
  'due',
  'parent',
  'blocked_by',
  'comments',
] as const;
export type Field = (typeof FIELDS)[number];

export const MIRROR_STATES = ['in_sync', 'pending', 'conflict', 'detached', 'untrusted', 'error'] as const;

export type MirrorState = (typeof MIRROR_STATES)[number];
