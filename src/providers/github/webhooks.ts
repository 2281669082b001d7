// GitHub's webhooks: a delivery's signature is proven by GitHub's own library, and of what it holds only the issue's name
// and identity are taken. GitHub signs no time: whoever replays a delivery makes us look at that issue once more.
import * as z from 'zod';
import { once } from '../../core/once.ts';
import type { NamedIssue, SourceConfig, WebhookDelivery, WebhookReading, Webhooks } from '../provider.ts';
import { apiBase, GITHUB_API, parseRef, readOptions } from './options.ts';

export const githubWebhooks: Webhooks = {
  wanted: (config) => [
    { choose: 'Issues', event: 'issues' },
    { choose: 'Issue comments', event: 'issue_comment' },
    ...(readOptions(config).pullRequests ? [{ choose: 'Pull requests', event: 'pull_request' }] : []),
  ],
  concerns: ({ isPull }, config) => isPull !== true || readOptions(config).pullRequests,
  settingsOf,
  prepare: async () => void (await methods()),
  read: readDelivery,
};

// Loaded with the listener: a command that hears no webhooks starts without it.
const methods = () => import('@octokit/webhooks-methods');

async function readDelivery(delivery: WebhookDelivery, secret: string): Promise<WebhookReading> {
  const signature = delivery.header('x-hub-signature-256');
  if (signature === null) return { refused: 'unsigned' };
  const text = delivery.body.toString('utf8');
  const { verify } = await methods();
  if (text === '' || !(await verify(secret, text, signature))) return { refused: 'wrong_signature' };
  const payload = parsePayload(text);
  if (payload === null) return { refused: 'malformed' };
  const name = /^[a-z0-9_]{1,60}$/.exec(delivery.header('x-github-event') ?? '')?.[0] ?? 'unnamed';
  const { action } = payload;
  return { event: action === undefined ? name : `${name}.${action}`, issues: issuesOf(name, payload) };
}

const payloadShape = once(() => {
  const named = z.object({ number: z.number(), node_id: z.string().nullish().catch(null) });
  const issue = named.extend({ pull_request: z.unknown() });
  return z.object({
    action: z
      .string()
      .regex(/^[a-z0-9_-]{1,60}$/)
      .optional()
      .catch(undefined),
    issue: issue.nullish().catch(null),
    pull_request: named.nullish().catch(null),
    repository: z.object({ full_name: z.string() }).nullish().catch(null),
  });
});
type Payload = z.output<ReturnType<typeof payloadShape>>;

function parsePayload(text: string): Payload | null {
  try {
    return payloadShape().safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Of a pull request its comments come as those of an issue, the rest as events of its own. */
function issuesOf(event: string, { issue, pull_request, repository }: Payload): NamedIssue[] {
  const named = issue ?? (event === 'pull_request' ? pull_request : null);
  const ref = `${repository?.full_name}#${named?.number}`;
  if (!named || parseRef(ref) === null) return [];
  const isPull = !issue || Boolean(issue.pull_request);
  return [{ ref, uid: named.node_id ?? null, ...(isPull ? { isPull } : {}) }];
}

function settingsOf(config: SourceConfig): string {
  const api = apiBase(config);
  const web = api === GITHUB_API ? 'https://github.com' : new URL(api).origin;
  return `${web}/${config.source}/settings/hooks`;
}
