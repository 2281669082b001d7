// One room with workers, and its Postgres, for all tests of the file that imports it.
import { forAllTests, partOf } from '../support/for-each-test.ts';
import { startPostgres } from '../support/postgres.ts';
import { createSite } from './workers.ts';

export const postgres = forAllTests(() => startPostgres(), 60_000);
export const site = forAllTests(() => createSite(postgres), 60_000);
export const room = partOf(site, 'room');
