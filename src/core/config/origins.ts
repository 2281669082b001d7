// What asks for a turn.
export const ORIGINS = ['chat', 'task', 'chore'] as const;
export type Origin = (typeof ORIGINS)[number];
