// Sessions of the app: an issue that is delegated to it, or a mention of it, opens one, and whoever asked follows the work there.
// An activity has an id made of its key, so that a second try meets the first. Linear tells a session's state by its last one.
import { RoomError } from '../../core/errors.ts';
import type { Attempt, RemoteSession, SessionActivity, SessionPrompt, SessionView } from '../provider.ts';
import type { Listed, PromptAnswer, SessionAnswer } from './documents.ts';
import { type LinearApi, readToEnd } from './read-issues.ts';
import { authorOf, uuidOfKey } from './to-remote-task.ts';
import { isMissing, nullIfMissing } from './transport.ts';
import { makeOnce } from './write-issues.ts';

const MOST_PAGES = 20; // Of an app that other rooms work with too there may be any number.
const ENDED = ['complete', 'error'];

export async function listSessions({ ask }: LinearApi, since: number): Promise<RemoteSession[]> {
  let pages = 0;
  const isNews = ({ updatedAt }: SessionAnswer) => Date.parse(updatedAt) >= since;
  const all = await readToEnd<SessionAnswer>(async (after) => {
    const { agentSessions: page } = await ask<{ agentSessions: Listed<SessionAnswer> }>('sessions', {
      after,
    });
    pages += 1;
    const isLast = pages >= MOST_PAGES || !page.nodes.every(isNews);
    return isLast ? { ...page, pageInfo: { hasNextPage: false } } : page;
  });
  const own = all.filter((session) => session.appUser.isMe && isNews(session));
  return own.reverse().flatMap(({ id, issue, creator, createdAt, status, activities }) => {
    if (issue === null) return [];
    const by = creator && authorOf(creator, null, null);
    const prompts = activities.nodes.map(toPrompt).sort((a, b) => a.at - b.at);
    const ended = ENDED.includes(status);
    return { id, issue: issue.id, by, createdAt: Date.parse(createdAt), ended, prompts };
  });
}

function toPrompt({ id, createdAt, signal, sourceComment, user, content }: PromptAnswer): SessionPrompt {
  const { body = '' } = content;
  const comment = sourceComment?.id ?? null;
  return {
    id,
    ...authorOf(user, null, null),
    body,
    at: Date.parse(createdAt),
    comment,
    stops: signal === 'stop',
  };
}

type MadeAnswer = { id: string; createdAt: string };

export async function sayInSession(
  { ask }: LinearApi,
  session: string,
  { type, body }: SessionActivity,
  { key, tries }: Attempt,
) {
  const id = uuidOfKey(key);
  const earlier = async () => {
    const found = await ask<{ agentActivity: MadeAnswer }>('activity', { id }).catch(nullIfMissing);
    return found?.agentActivity ?? null;
  };
  const make = async () => {
    const said = type === 'action' ? { action: 'Progress', parameter: body } : { body };
    const input = { id, agentSessionId: session, content: { type, ...said } };
    type Answer = { agentActivityCreate: { agentActivity: MadeAnswer } };
    return (await ask<Answer>('activityCreate', { input })).agentActivityCreate.agentActivity;
  };
  const { createdAt } = await makeOnce(tries, earlier, make).catch(asGone);
  return { id, createdAt: Date.parse(createdAt) };
}

export async function showInSession({ ask }: LinearApi, session: string, { plan, links }: SessionView) {
  await ask('sessionUpdate', { id: session, input: { plan, externalUrls: links } }).catch(asGone);
}

function asGone(error: unknown): never {
  if (!isMissing(error)) throw error;
  throw new RoomError('gone', 'the session is not there any more', { cause: error });
}
