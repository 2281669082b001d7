// How a task and its issue stand to each other: the words of every list, filter and file.

export const MIRROR_STATES = ['in_sync', 'pending', 'conflict', 'detached', 'untrusted', 'error'] as const;

export type MirrorState = (typeof MIRROR_STATES)[number];
