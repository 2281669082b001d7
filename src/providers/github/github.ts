// GitHub as a provider: github.com, GitHub Enterprise, or any server that speaks its REST API. A webhook's signature is proven by
// GitHub's own library; only the issue's name and identity are taken from a delivery. GitHub signs no time: whoever replays a
// delivery makes us look at that issue once more.
import { RoomError, valueOr } from '../../core/errors.ts';
import type { NamedIssue, ProviderFactory, WebhookDelivery, WebhookReading, Webhooks } from '../provider.ts';
import type { Pace } from './client.ts';
import {
  apiBase,
  checkSource,
  findCredentials,
  GITHUB_API,
  isOf,
  parseRef,
  readOptions,
  refOfUrl,
  SECRETS,
  sourceOfRemote,
} from './options.ts';

const githubWebhooks: Webhooks = {
  wanted: (config) => [
    { choose: 'Issues', event: 'issues' },
    { choose: 'Issue comments', event: 'issue_comment' },
    ...(readOptions(config).pullRequests ? [{ choose: 'Pull requests', event: 'pull_request' }] : []),
  ],
  concerns: ({ isPull }, config) => isPull !== true || readOptions(config).pullRequests,
  settingsOf(config) {
    const api = apiBase(config);
    const web = api === GITHUB_API ? 'https://github.com' : new URL(api).origin;
    return `${web}/${config.source}/settings/hooks`;
  },
  prepare: async () => void (await methods()),
  read: readDelivery,
};

/** @param pace For tests alone; nothing a person sets can change GitHub's own pace. */
export const createGithubFactory = (pace: Partial<Pace> = {}): ProviderFactory => ({
  name: 'github',
  secrets: SECRETS,
  check: checkSource,
  async missing(config, effects) {
    const search = await findCredentials(effects, apiBase(config));
    return search.found ? [] : search.missing;
  },
  async open(config, effects) {
    const search = await findCredentials(effects, apiBase(config));
    if (!search.found) {
      const { what, set } = search.missing[0]!;
      throw new RoomError('unauthorized', `${what} is missing`, { hint: set });
    }
    // Loaded when a source is opened: a command that mirrors nothing starts without it.
    const { openProvider } = await import('./open-provider.ts');
    return await openProvider(config, search.found, effects, pace);
  },
  sourceOfRemote,
  shortRef: (ref) => ref.slice(ref.indexOf('/') + 1),
  refOfUrl(url, config) {
    const ref = refOfUrl(url, apiBase(config));
    return ref !== null && isOf(ref, config.source) ? `${config.source}${ref.slice(ref.indexOf('#'))}` : ref;
  },
  owns: (ref, { source }) => isOf(ref, source),
  webhooks: githubWebhooks,
});

export const githubFactory = createGithubFactory();

// Loaded with the listener: a command that hears no webhooks starts without it.
const methods = () => import('@octokit/webhooks-methods');

async function readDelivery(delivery: WebhookDelivery, secret: string): Promise<WebhookReading> {
  const signature = delivery.header('x-hub-signature-256');
  if (signature === null) return { refused: 'unsigned' };
  const text = delivery.body.toString('utf8');
  const { verify } = await methods();
  if (text === '' || !(await verify(secret, text, signature))) return { refused: 'wrong_signature' };
  const payload: Payload | null = valueOr(null, () => JSON.parse(text));
  if (payload === null || typeof payload !== 'object') return { refused: 'malformed' };
  const name = /^[a-z0-9_]{1,60}$/.exec(delivery.header('x-github-event') ?? '')?.[0] ?? 'unnamed';
  const action =
    typeof payload.action === 'string' ? /^[a-z0-9_-]{1,60}$/.exec(payload.action)?.[0] : undefined;
  return { event: action === undefined ? name : `${name}.${action}`, issues: issuesOf(payload) };
}

type Named = { number?: unknown; node_id?: unknown };

interface Payload {
  action?: unknown;
  issue?: (Named & { pull_request?: unknown }) | null;
  pull_request?: Named | null;
  check_suite?: { pull_requests?: readonly Named[] } | null; // Pull requests of the branch that they ran on.
  workflow_run?: { pull_requests?: readonly Named[] } | null;
  repository?: { full_name?: unknown } | null;
}

/** Of a pull request its comments come as those of an issue; reviews and checks name it beside what they are. */
function issuesOf({ issue, pull_request, check_suite, workflow_run, repository }: Payload): NamedIssue[] {
  const checked = check_suite?.pull_requests ?? workflow_run?.pull_requests;
  const pulls = pull_request ? [pull_request] : Array.isArray(checked) ? checked : [];
  return (issue ? [issue] : pulls).flatMap((named: (Named & { pull_request?: unknown }) | null) => {
    const ref = `${repository?.full_name}#${named?.number}`;
    if (!named || parseRef(ref) === null) return [];
    const isPull = !issue || Boolean(issue.pull_request);
    const uid = typeof named.node_id === 'string' ? named.node_id : null;
    return [{ ref, uid, ...(isPull ? { isPull } : {}) }];
  });
}
