// Bad days of Linear, whose limit is HTTP 400 with a code.
import type { Fault } from '../support/fault-proxy.ts';
import { badDaySuite } from './bad-day-suite.ts';
import { linearTracker } from './wire-room.ts';

const LIMITED: Fault = { kind: 'linear_limited' };

badDaySuite({
  start: linearTracker,
  days: [
    [
      'HTTP 400 RATELIMITED to a reading',
      { fault: LIMITED, on: 'read', code: 'rate_limited', restMs: 60_000 },
    ],
    [
      'HTTP 400 RATELIMITED to a change',
      { fault: LIMITED, on: 'change', code: 'rate_limited', restMs: 60_000 },
    ],
    [
      'HTTP 400 RATELIMITED to a making',
      { fault: LIMITED, on: 'make', code: 'rate_limited', restMs: 60_000 },
    ],
  ],
  laterPages() {
    let pages = 0;
    return ({ body }) => body.includes('query Issues') && pages++ > 0;
  },
});
