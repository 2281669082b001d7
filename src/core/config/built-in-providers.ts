// The providers that come with the product, and the environment variables that hold their secrets.

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
