// An app's sessions: what Linear shows and takes of them, as strict as it is, and what people do there in its own window. Delegating an
// issue, or naming the app, opens one; its state follows from the last activity.
import { randomUUID } from 'node:crypto';
import { forbidden, inputError, notFound } from './answer-errors.ts';
import type { PageArguments } from './connections.ts';
import { freshStamp } from './mutations.ts';
import {
  type AgentActivityRecord,
  type AgentSessionRecord,
  byId,
  findIssue,
  identifierOf,
  type LinearState,
  stamp,
  type UserRecord,
} from './records.ts';
import type { Session } from './session.ts';
import { CommentView, issueView, page, userView, type ViewOf, viewOf } from './views.ts';

const AgentSessionView: ViewOf<AgentSessionRecord> = viewOf(['status', 'plan', 'externalLinks'], {
  appUser: ({ session, record }) => userView(session, record.appUserId),
  creator: ({ session, record }) => userView(session, record.creatorId),
  issue: ({ session, record }) => issueView(session, record.issueId),
  activities({ id, all, session }, args) {
    const own = all.activities.filter((one) => one.sessionId === id);
    return page(session, AgentActivityView, own, args);
  },
});

const AgentActivityView: ViewOf<AgentActivityRecord> = viewOf(['signal'], {
  ephemeral: () => false,
  type: ({ record }) => record.content.type,
  content({ record: { content } }) {
    const name = `AgentActivity${content.type[0]!.toUpperCase()}${content.type.slice(1)}Content`;
    return { __typename: name, ...content };
  },
  agentSession: ({ all, session, record }) =>
    new AgentSessionView(session, byId(all.sessions, record.sessionId)),
  sourceComment: ({ all, session, record: { sourceCommentId: id } }) =>
    id === null ? null : new CommentView(session, byId(all.comments, id)),
  user: ({ session, record }) => userView(session, record.userId),
});

type ActivityInput = { id?: string | null; agentSessionId: string; content: Record<string, unknown> };
type SessionInput = { plan?: unknown; externalUrls?: { label: string; url: string }[] | null };

const STATUS_AFTER = {
  ...{ thought: 'active', action: 'active', elicitation: 'awaitingInput' },
  ...{ response: 'complete', error: 'error' },
} as const;
type AgentType = keyof typeof STATUS_AFTER;
const PLAN_STATUSES: readonly unknown[] = ['pending', 'inProgress', 'completed', 'canceled'];

/** The root fields of sessions, for one request. */
export function agentFields(session: Session) {
  const { state } = session;
  const done = { success: true, lastSyncId: state.usedIds.size };
  const own = (id: string): AgentSessionRecord => {
    const found = state.sessions.find((one) => one.id === id);
    if (!found) throw notFound('AgentSession');
    if (found.appUserId !== session.viewerId) throw forbidden();
    return found;
  };
  return {
    agentSession: ({ id }: { id: string }) => new AgentSessionView(session, own(id)),
    agentSessions: (args: PageArguments) => page(session, AgentSessionView, state.sessions, args),
    agentActivity({ id }: { id: string }) {
      const found = state.activities.find((one) => one.id === id);
      if (!found) throw notFound('AgentActivity');
      return new AgentActivityView(session, found);
    },
    agentActivityCreate({ input }: { input: ActivityInput }) {
      const target = own(input.agentSessionId);
      const content = checkedContent(input.content);
      const made = { ...freshStamp(state, input.id), sessionId: target.id, userId: session.viewerId };
      const record = { ...made, content, signal: null, sourceCommentId: null };
      state.activities.push(record);
      Object.assign(target, { status: STATUS_AFTER[content.type as AgentType], updatedAt: state.now });
      // What an agent says to people shows on the issue too.
      if (content.body !== undefined && content.type !== 'thought')
        comment(state, target.issueId, session.viewerId, content.body);
      return { ...done, agentActivity: new AgentActivityView(session, record) };
    },
    agentSessionUpdate({ id, input }: { id: string; input: SessionInput }) {
      const target = own(id);
      if (input.plan !== undefined) target.plan = checkedPlan(input.plan);
      if (input.externalUrls) target.externalLinks = input.externalUrls.map((link) => ({ ...link }));
      target.updatedAt = state.now;
      return { ...done, agentSession: new AgentSessionView(session, target) };
    },
  };
}

function checkedContent(content: Record<string, unknown>): AgentActivityRecord['content'] {
  const type = String(content.type);
  if (!(type in STATUS_AFTER)) throw inputError(`Argument Validation Error - no activity type ${type}`);
  const wanted = type === 'action' ? ['action', 'parameter'] : ['body'];
  const allowed = ['type', ...wanted, ...(type === 'action' ? ['result'] : [])];
  const isText = (key: string) => typeof content[key] === 'string' && content[key] !== '';
  if (!wanted.every(isText) || !Object.keys(content).every((key) => allowed.includes(key)))
    throw inputError(`Argument Validation Error - content of ${type} is ${wanted.join(' and ')}`);
  return content as AgentActivityRecord['content'];
}

function checkedPlan(plan: unknown): unknown {
  const isStep = (step: { content?: unknown; status?: unknown }) =>
    typeof step.content === 'string' && step.content !== '' && PLAN_STATUSES.includes(step.status);
  if (Array.isArray(plan) && plan.every(isStep)) return plan;
  throw inputError('Argument Validation Error - plan must be an array of steps');
}

function comment(state: LinearState, issueId: string, userId: string, body: string): string {
  const made = { ...stamp(state), issueId, parentId: null, userId, externalUser: null, body };
  state.comments.push(made);
  return made.id;
}

/** What people do with an app, as Linear shows it, and the payloads of the webhooks that tell of it. */
export function createDelegator(state: LinearState, app: UserRecord, ann: UserRecord) {
  function payload(
    action: 'created' | 'prompted',
    session: AgentSessionRecord,
    activity?: AgentActivityRecord,
  ) {
    const { id, creatorId, issueId, appUserId, status, ...record } = session;
    const issue = byId(state.issues, issueId);
    const time = (ms: number) => new Date(ms).toISOString();
    const times = { createdAt: time(record.createdAt), updatedAt: time(record.updatedAt) };
    const identifier = identifierOf(state, issue);
    const team = byId(state.teams, issue.teamId);
    const ofIssue = { id: issueId, identifier, title: issue.title, teamId: team.id };
    const ids = { organizationId: state.organization.id, appUserId };
    return {
      ...{ type: 'AgentSessionEvent', action, createdAt: time(state.now), oauthClientId: 'client', ...ids },
      agentSession: {
        ...{ id, creatorId, issueId, status, type: 'commentThread', ...ids, ...times },
        issue: {
          ...{ ...ofIssue, team: { id: team.id, key: team.key, name: team.name } },
          url: `https://linear.app/acme/issue/${identifier}`,
        },
      },
      ...(action === 'created' ? { promptContext: `<issue identifier="${identifier}"/>` } : {}),
      ...(activity && {
        agentActivity: {
          ...{ id: activity.id, agentSessionId: id, content: activity.content, signal: activity.signal },
          ...{ userId: activity.userId, sourceCommentId: activity.sourceCommentId, ...times },
          user: {
            id: activity.userId,
            name: 'Ann',
            email: 'ann@example.com',
            url: 'https://linear.app/acme',
          },
        },
      }),
    };
  }
  return {
    /** Hands the issue to the app. */
    delegate(name: string, by: UserRecord = ann) {
      const issue = findIssue(state, name)!;
      Object.assign(issue, { delegateId: app.id, updatedAt: state.now });
      const about = { issueId: issue.id, appUserId: app.id, creatorId: by.id };
      const shows = { status: 'pending' as const, plan: null, externalLinks: [] };
      const session: AgentSessionRecord = { ...stamp(state), ...about, ...shows };
      state.sessions.push(session);
      return { id: session.id, payload: payload('created', session) };
    },
    /** Says something in a session, as a comment of its thread or beside all comments. */
    prompt(
      id: string,
      body: string,
      {
        by = ann,
        signal = null,
        asComment = true,
      }: { by?: UserRecord; signal?: string | null; asComment?: boolean } = {},
    ) {
      const session = byId(state.sessions, id);
      const sourceCommentId = asComment ? comment(state, session.issueId, by.id, body) : null;
      const said = { content: { type: 'prompt', body }, signal, sourceCommentId };
      const activity: AgentActivityRecord = {
        ...stamp(state, randomUUID()),
        sessionId: id,
        userId: by.id,
        ...said,
      };
      state.activities.push(activity);
      Object.assign(session, { status: 'active', updatedAt: state.now });
      return { payload: payload('prompted', session, activity) };
    },
    /** What the app said there, oldest first: its type and its words. */
    said: (id: string): [type: string, words: string][] =>
      state.activities
        .filter((one) => one.sessionId === id && one.userId === app.id)
        .map(({ content: { type, body, parameter } }) => [type, body ?? parameter ?? '']),
  };
}
