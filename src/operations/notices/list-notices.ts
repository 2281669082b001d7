import * as z from 'zod';
import { count } from '../../core/shapes.ts';
import { noticeAnswer } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

export const listNotices = operation({
  name: 'listNotices',
  summary: 'list what agents told you',
  about: 'Lists what agents told you with notify, newest first, and whether it could be sent.',
  needs: 'read',
  http: { method: 'get', path: '/api/notices' },
  cli: {
    command: 'notices',
    group: 'Reports',
    words: [],
    flags: { untold: null },
    examples: [
      ['taskroom notices', 'the latest'],
      ['taskroom notices --json', '{"notices":[…]}'],
    ],
    shown({ notices }) {
      const seqs = notices.filter(({ told }) => !told).map(({ seq }) => seq);
      return seqs.length === 0 ? [] : [{ name: 'markNoticesTold', input: { seqs } }];
    },
  },
  input: () =>
    z.strictObject({
      untold: z.boolean().exactOptional().meta({ description: 'only what the person did not see' }),
      limit: count().exactOptional().meta({ description: 'at most this many (default 20)' }),
    }),
  output: () => z.strictObject({ notices: z.array(noticeAnswer()) }),
  run: async (on, filter) => (await import('../../tasks/room/notices.ts')).listNotices(on, filter),
});
