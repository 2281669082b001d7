// The kinds of things that need the person, in the order of the inbox.
export const INBOX_KINDS = [
  'question',
  'paused',
  'trust',
  'rights',
  'held',
  'conflict',
  'invalid',
  'setup',
  'trouble',
  'tracker',
  'notice',
] as const;

export type InboxKind = (typeof INBOX_KINDS)[number];

/** What is told where room.yaml does not choose. */
export const DEFAULT_NOTIFY: readonly InboxKind[] = ['notice', 'question', 'paused'];
