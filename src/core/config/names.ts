// The providers that come with the product, and the environment variables that hold their secrets.

// The kinds of things that need the person, in the order of the inbox.
export const INBOX_KINDS = [
  'question',
  'paused',
  'trust',
  'rights',
  'review',
  'held',
  'conflict',
  'invalid',
  'setup',
  'trouble',
  'tracker',
  'notice',
] as const;

export type InboxKind = (typeof INBOX_KINDS)[number];

/** The kinds of messages that are sent when room.yaml does not choose. */
export const DEFAULT_NOTIFY: readonly InboxKind[] = ['notice', 'question', 'paused'];

/** What comes with the product. `providers/registry.ts` has a factory for each. */
export const BUILT_IN_PROVIDERS = ['github', 'linear', 'taskwarrior'] as const;
export type BuiltInProvider = (typeof BUILT_IN_PROVIDERS)[number];

export const WEBHOOK_SOURCES = ['github', 'linear'] as const;
export type WebhookSource = (typeof WEBHOOK_SOURCES)[number];

/** Environment variables that hold their secrets, and those of the programs they are reached with (`gh`). */
export const BUILT_IN_SECRETS: Readonly<Record<BuiltInProvider, readonly string[]>> = {
  github: [
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'GITHUB_ENTERPRISE_TOKEN',
    'GH_ENTERPRISE_TOKEN',
    'GITHUB_APP_PRIVATE_KEY',
  ],
  linear: ['LINEAR_API_KEY', 'LINEAR_ACCESS_TOKEN'],
  taskwarrior: [],
};
