// The root fields that read.
import { notFound } from './answer-errors.ts';
import type { PageArguments } from './connections.ts';
import { byId, findIssue } from './records.ts';
import type { Session } from './session.ts';
import { CommentView, IssueView, LabelView, page, StateView, TeamView, UserView } from './views.ts';

/** Root fields of `Query` for one request. */
export function createQueries(session: Session) {
  const { state } = session;
  return {
    viewer: () => new UserView(session, byId(state.users, session.viewerId)),
    organization: () => state.organization,
    team({ id }: { id: string }) {
      const found = state.teams.find((team) => team.id === id || team.key === id);
      if (!found) throw notFound('Team');
      return new TeamView(session, found);
    },
    teams: (args: PageArguments) => page(session, TeamView, state.teams, args),
    users: (args: PageArguments) => page(session, UserView, state.users, args),
    issue({ id }: { id: string }) {
      const found = findIssue(state, id);
      if (!found) throw notFound('Issue');
      return new IssueView(session, found);
    },
    issues: (args: PageArguments) => page(session, IssueView, state.issues, args),
    comment({ id }: { id?: string }) {
      const found = state.comments.find((one) => one.id === id);
      if (!found) throw notFound('Comment');
      return new CommentView(session, found);
    },
    comments: (args: PageArguments) => page(session, CommentView, state.comments, args),
    issueLabels: (args: PageArguments) => page(session, LabelView, state.labels, args),
    workflowStates: (args: PageArguments) => page(session, StateView, state.states, args),
  };
}
