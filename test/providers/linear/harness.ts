// The Linear-shaped server as the conformance suite wants it.
import { FIELDS } from '../../../src/core/chore/fields.ts';
import type { Priority } from '../../../src/core/task/status.ts';
import type { Effects } from '../../../src/effects.ts';
import { createNodeEffects } from '../../../src/node.ts';
import { linearFactory } from '../../../src/providers/linear/linear.ts';
import type { SourceConfig } from '../../../src/providers/provider.ts';
import type { PersonEdit, ProviderHarness } from '../../conformance/provider.ts';
import type { IssueEdit } from '../../support/linear-server/person.ts';
import { addTeam, byId, findIssue, type IssueRecord } from '../../support/linear-server/records.ts';
import { createLinearServer, type LinearServer } from '../../support/linear-server/server.ts';
import { WORKFLOW_STATES } from '../../support/memory-provider/tracker.ts';
import { sourceConfig } from '../../support/mirror-config.ts';

const PRIORITIES: Record<Priority, number> = { high: 2, medium: 3, low: 4 };

/** What this process would see, with these variables alone. */
export const effectsWith = (env: Record<string, string>): Effects => createNodeEffects(env);

/** A source of team ENG on that server. */
export const sourceOn = (url: string, change: Partial<SourceConfig> = {}): SourceConfig =>
  sourceConfig('ENG', { url, ...change });

/** The server, and what the suite needs of it. */
export async function openLinearHarness(): Promise<ProviderHarness & { server: LinearServer }> {
  const server = await createLinearServer();
  const { state, person } = server;
  addTeam(state, 'OPS');
  const bot = state.users[0]!;

  function toEdit(edit: PersonEdit): IssueEdit {
    const { title, body, state: word, labels, assignees, priority, due, parent } = edit;
    return {
      ...(title === undefined ? {} : { title: checked(title) }),
      ...(body === undefined ? {} : { description: body }),
      ...(word === undefined ? {} : { state: word }),
      ...(labels ? { labels: [...labels] } : {}),
      ...(assignees ? { assignee: assignees.includes(bot.displayName) ? bot : null } : {}),
      ...(priority === undefined ? {} : { priority: priority === null ? 0 : PRIORITIES[priority] }),
      ...(due === undefined ? {} : { dueDate: due }),
      ...(parent === undefined ? {} : { parent }),
    };
  }

  // People can't leave the title empty either.
  function checked(title: string): string {
    if (title.trim() === '' || title.length > 255) throw new Error('no title Linear takes');
    return title.replace(/\s+/g, ' ').trim();
  }

  function block(ref: string, blockers: readonly string[]): void {
    const issue = issueOf(ref);
    const old = state.relations.filter((one) => one.type === 'blocks' && one.relatedIssueId === issue.id);
    for (const one of old) person.unrelate(one.issueId, ref);
    for (const blocker of blockers) person.relate(blocker, 'blocks', ref);
  }

  function issueOf(ref: string): IssueRecord {
    const issue = findIssue(state, ref);
    if (!issue) throw new Error(`no issue ${ref}`);
    return issue;
  }

  return {
    server,
    factory: linearFactory,
    config: (change) => sourceOn(server.url, change),
    effects: effectsWith({ LINEAR_API_KEY: 'lin_api_good' }),
    badCredentials: effectsWith({ LINEAR_API_KEY: 'lin_api_bad' }),
    noCredentials: effectsWith({}),
    fields: FIELDS,
    states: [...WORKFLOW_STATES, { name: 'Triage', status: 'draft' }],
    account: bot.displayName,
    absentRef: 'ENG-999999',
    people: {
      async createIssues(drafts) {
        return drafts.map((draft) => {
          // Nobody makes two in one millisecond; what follows may fall into the last one's.
          server.tick(1);
          const ref = person.addIssue(toEdit(draft));
          if (draft.blockedBy) block(ref, draft.blockedBy);
          return ref;
        });
      },
      async editIssue(ref, edit) {
        person.editIssue(ref, toEdit(edit));
        if (edit.blockedBy) block(ref, edit.blockedBy);
      },
      async look(ref) {
        const issue = findIssue(state, ref);
        if (!issue || issue.trashed) return null;
        const comments = state.comments.filter(({ issueId }) => issueId === issue.id);
        return {
          title: issue.title,
          body: issue.description ?? '',
          comments: comments.map(({ id, userId, body }) => ({
            id,
            author: byId(state.users, userId ?? '').displayName,
            body,
          })),
        };
      },
      titles: async () => state.issues.map(({ title }) => title),
      deleteIssue: async (ref) => person.trashIssue(ref),
      transferIssue: async (ref) => void person.moveIssue(ref, 'OPS'),
      async addComments(ref, bodies) {
        return bodies.map((body) => {
          server.tick(1);
          return person.addComment(ref, body);
        });
      },
      editComment: async (_ref, id, body) => person.editComment(id, body),
      deleteComment: async (_ref, id) => person.deleteComment(id),
    },
    tick: async () => server.tick(120_000),
    loseNextAnswer() {
      server.controls.intercept = ({ query }) => {
        if (!query.startsWith('mutation')) return null;
        server.controls.intercept = null;
        return { cut: 'after' };
      };
    },
    close: () => server.close(),
  };
}
