// Comments of one issue, of a whole repository, and one by one.
import {
  type Call,
  issueOf,
  needSpeech,
  needWrite,
  notFound,
  Refused,
  type Routes,
  repoOf,
} from './answer.ts';
import { checkedBody, sinceOf } from './issue-routes.ts';
import { slicePages, sortKeyed } from './paging.ts';
import { deleteComment, editComment, sayComment } from './people.ts';
import type { StoredComment, StoredIssue, StoredRepo } from './state.ts';

type Placed = { issue: Pick<StoredIssue, 'number' | 'pull'>; comment: StoredComment };

function listed(call: Call, repo: StoredRepo, placed: Placed[], sort: string, descending: boolean) {
  const since = sinceOf(call);
  const entries = placed
    .filter(({ comment }) => comment.updatedAt >= since)
    .map((item) => ({
      item,
      key: sort === 'updated' ? item.comment.updatedAt : item.comment.createdAt,
      id: item.comment.id,
    }));
  const { items, link } = slicePages(sortKeyed(entries, descending), call.url);
  const body = items.map(({ issue, comment }) => call.shapes.comment(repo, issue, comment));
  return { status: 200, body, headers: link === null ? {} : { link } };
}

function commentOf(call: Call): { repo: StoredRepo; issue: StoredIssue; comment: StoredComment } {
  const repo = repoOf(call);
  for (const issue of repo.issues) {
    const comment = issue.comments.find(({ id }) => id === Number(call.parts[2]));
    if (comment && issue.gone === null) return { repo, issue, comment };
  }
  throw notFound();
}

export const COMMENT_ROUTES: Routes = {
  'GET /repos/{owner}/{repo}/issues/comments': (call) => {
    const repo = repoOf(call);
    if (!call.state.features.repoComments) throw notFound();
    const query = call.url.searchParams;
    const sort = query.get('sort');
    const descending = sort !== null && query.get('direction') !== 'asc';
    const placed = repo.issues
      .filter((issue) => issue.gone === null)
      .flatMap((issue) => issue.comments.map((comment) => ({ issue, comment })));
    return listed(call, repo, placed, sort ?? 'created', descending);
  },
  'GET /repos/{owner}/{repo}/issues/comments/{comment_id}': (call) => {
    const { repo, issue, comment } = commentOf(call);
    return { status: 200, body: call.shapes.comment(repo, issue, comment) };
  },
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': (call) => {
    const { repo, issue, comment } = commentOf(call);
    needSpeech(call);
    if (comment.user !== call.viewer.login) needWrite(call);
    editComment(call.state, comment, checkedBody(call.body.body, 'IssueComment'));
    return { status: 200, body: call.shapes.comment(repo, issue, comment) };
  },
  'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}': (call) => {
    const { issue, comment } = commentOf(call);
    needSpeech(call);
    if (comment.user !== call.viewer.login) needWrite(call);
    deleteComment(issue, comment);
    return { status: 204 };
  },
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': (call) => {
    const pull = repoOf(call).pulls?.find(({ number }) => number === Number(call.parts[2]));
    if (pull !== undefined) {
      const issue = { number: pull.number, pull: { mergedAt: pull.mergedAt } };
      const said = pull.comments.map((comment) => ({ issue, comment }));
      return listed(call, repoOf(call), said, 'created', false);
    }
    const { repo, issue } = issueOf(call);
    const placed = issue.comments.map((comment) => ({ issue, comment }));
    return listed(call, repo, placed, 'created', false);
  },
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': (call) => {
    const { repo, issue } = issueOf(call);
    needSpeech(call);
    if (issue.locked && call.access !== 'write')
      throw new Refused(403, 'Unable to create comment because issue is locked.');
    const body = checkedBody(call.body.body, 'IssueComment');
    if (body.trim() === '') {
      const error = { resource: 'IssueComment', field: 'body', code: 'missing_field' };
      throw new Refused(422, 'Validation Failed', { errors: [error] });
    }
    const comment = sayComment(call.state, issue, body, call.viewer.login);
    return { status: 201, body: call.shapes.comment(repo, issue, comment) };
  },
};
