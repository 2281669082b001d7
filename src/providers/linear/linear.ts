// Linear as a provider: a source is a team, an issue is mirrored with its comments and what blocks it. Signature and age of
// a webhook's delivery are proven by Linear's own library; only the issue's name and identity are taken from it.
import { FIELDS } from '../../core/chore/fields.ts';
import type { Effects } from '../../effects.ts';
import type {
  NamedIssue,
  Provider,
  ProviderFactory,
  SourceConfig,
  WebhookDelivery,
  WebhookReading,
  Webhooks,
} from '../provider.ts';
import { underSignal } from '../tracker-rules.ts';
import { listSessions, sayInSession, showInSession } from './agent-sessions.ts';
import { listIssues } from './listing.ts';
import { normalise } from './normalise.ts';
import { checkSource, LIMITS, owns, readOptions, refOfUrl } from './options.ts';
import { createApi, getIssues, readActs } from './read-issues.ts';
import { classOf } from './to-remote-task.ts';
import { createTransport, missingCredentials, SECRETS } from './transport.ts';
import { addComment, createIssue, editComment, updateIssue } from './write-issues.ts';

const linearWebhooks: Webhooks = {
  wanted: () => [
    { choose: 'Issues', event: 'Issue' },
    { choose: 'Comments', event: 'Comment' },
  ],
  settingsOf: () => 'https://linear.app/settings/api',
  prepare: async () => void (await client()),
  read: readDelivery,
};

// Loaded with the listener: a command that hears no webhooks starts without it.
const client = () => import('@linear/sdk/webhooks');

export const linearFactory: ProviderFactory = {
  name: 'linear',
  secrets: SECRETS,
  check: checkSource,
  missing: async (_config, effects) => missingCredentials(effects),
  open: openLinear,
  shortRef: (ref) => ref,
  refOfUrl,
  owns,
  webhooks: linearWebhooks,
};

async function openLinear(config: SourceConfig, effects: Effects): Promise<Provider> {
  const options = readOptions(config);
  const fields = new Set(config.fields ?? FIELDS);
  const transport = await createTransport(config, effects);
  const isApp = await transport.isApp();
  const bound = underSignal(createApi(transport, { config, options, fields, isApp }));
  return {
    name: 'linear',
    profile: {
      limits: LIMITS,
      writable: FIELDS.filter((field) => fields.has(field)),
      normalise,
      classOf: (status) => classOf(status, options),
      ownStatuses: Object.keys(options.own),
      trustedRoles: ['owner', 'admin', 'member'],
      remote: true,
    },
    list: bound(listIssues),
    get: bound(getIssues),
    acts: bound(readActs),
    write: { create: bound(createIssue), update: bound(updateIssue) },
    ...(fields.has('comments') ? { comment: { add: bound(addComment), edit: bound(editComment) } } : {}),
    ...(isApp && {
      sessions: { list: bound(listSessions), say: bound(sayInSession), show: bound(showInSession) },
    }),
    usage: transport.usage,
    close: async () => {},
  };
}

async function readDelivery({ header, body }: WebhookDelivery, secret: string): Promise<WebhookReading> {
  const signature = header('linear-signature');
  if (signature === null) return { refused: 'unsigned' };
  const { LinearWebhookClient } = await client();
  let payload: Payload;
  try {
    payload = new LinearWebhookClient(secret).parseData(body, signature) as unknown as Payload;
  } catch (error) {
    return { refused: whyRefused(error) };
  }
  const words = [payload.type, payload.action].filter(
    (word) => typeof word === 'string' && /^[A-Za-z_]{1,60}$/.test(word),
  );
  return { event: words.join('.') || 'unnamed', issues: issuesOf(payload) };
}

/** The library says why in its message alone. */
function whyRefused(error: unknown): 'wrong_signature' | 'old' | 'malformed' {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('timestamp')) return 'old';
  return message.includes('signature') ? 'wrong_signature' : 'malformed';
}

interface Payload {
  type?: unknown;
  action?: unknown;
  url?: unknown;
  data?: { id?: unknown; identifier?: unknown; issueId?: unknown } | null;
  agentSession?: { issue?: { id?: unknown; identifier?: unknown } | null } | null;
}

const IDENTIFIER = /^[A-Z0-9]{1,10}-[1-9]\d{0,8}$/;
const IN_URL = /\/issue\/([A-Za-z0-9]{1,10}-[1-9]\d{0,8})(?:[/#?]|$)/;

function issuesOf({ type, data, url, agentSession }: Payload): NamedIssue[] {
  const delegated = type === 'AgentSessionEvent' ? agentSession?.issue : null;
  if (delegated)
    return issuesOf({ type: 'Issue', data: delegated }).map((issue) => ({ ...issue, isUrgent: true }));
  if (!data) return [];
  const uid = type === 'Issue' ? data.id : type === 'Comment' ? data.issueId : null;
  if (typeof uid !== 'string') return [];
  const inUrl = typeof url === 'string' ? IN_URL.exec(url)?.[1]?.toUpperCase() : undefined;
  const named = typeof data.identifier === 'string' ? data.identifier : inUrl;
  return [{ ref: named !== undefined && IDENTIFIER.test(named) ? named : null, uid }];
}
