import { noticeAnswer } from '../../tasks/shapes/turn.ts';
import { count, flag, operation, optional, z } from '../operation.ts';

export const listNotices = operation({
  summary: 'list what agents told you',
  about: 'Lists what agents told you with notify, newest first, and whether it could be sent.',
  needs: 'read',
  http: { method: 'get', path: '/api/notices' },
  cli: {
    command: 'inbox',
    flag: ['notices', 'what agents told you, newest first'],
    aliases: ['notices'],
    flags: { untold: null },
    examples: { 'taskroom inbox --notices': 'the latest that agents told you; with --json: {"notices":[…]}' },
    shown({ notices }) {
      const seqs = notices.filter(({ told }) => !told).map(({ seq }) => seq);
      return seqs.length === 0 ? [] : [{ name: 'markNoticesTold', input: { seqs } }];
    },
  },
  input: () => ({
    untold: optional(flag(), 'only what the person did not see'),
    limit: optional(count(), 'at most this many (default 20)'),
  }),
  output: () => ({ notices: z.array(noticeAnswer()) }),
  run: async (on, filter) => (await import('../../tasks/change/notices.ts')).listNotices(on, filter),
});
