// One setup or build at a time in a folder: a lock folder with its holder's name in it, whose making is atomic.
// A lock whose holder died is broken; a live holder is waited for, however long its work takes.
import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;
const HEARTBEAT_MS = 2_000;
/** Without a heartbeat for this long the holder is taken for dead: for other hosts and reused process ids. */
const SILENCE_MS = 60_000;

function tryMake(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** What the lock looks like now, or null when it is gone: the holder's words and the time of its last heartbeat. */
function look(folder) {
  try {
    const beat = statSync(folder).mtimeMs;
    let holder = '';
    try {
      holder = readFileSync(path.join(folder, 'holder'), 'utf8');
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    return { holder, beat };
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isDead(holder) {
  const [host, pid] = holder.split(' ');
  if (host !== hostname() || !pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Takes a dead holder's lock away. The inner folder lets only one of many waiters do it, on the lock it judged. */
function breakLock(folder, judged) {
  try {
    mkdirSync(path.join(folder, 'breaking'));
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return;
    throw error;
  }
  if (look(folder)?.holder !== judged) return rmdirSync(path.join(folder, 'breaking'));
  const aside = `${folder}.${randomUUID()}`;
  renameSync(folder, aside);
  rmSync(aside, { recursive: true, force: true });
}

async function acquire(folder, say) {
  let seen = null;
  let seenAt = performance.now();
  let told = false;
  while (!tryMake(folder)) {
    const now = look(folder);
    if (now === null) continue;
    if (now.holder !== seen?.holder || now.beat !== seen.beat) {
      seen = now;
      seenAt = performance.now();
    }
    if (isDead(now.holder) || performance.now() - seenAt > SILENCE_MS) breakLock(folder, now.holder);
    if (!told) say(`another setup is at work here; waiting for it (if there is none, remove ${folder})`);
    told = true;
    await sleep(POLL_MS);
  }
  const holder = `${hostname()} ${process.pid} ${randomUUID()}\n`;
  writeFileSync(path.join(folder, 'holder'), holder);
  return holder;
}

/** Runs `work` while holding the lock folder; `say` is told once when there is someone to wait for. */
export async function withLock(folder, say, work) {
  const holder = await acquire(folder, say);
  const heartbeat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(folder, now, now);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if (look(folder)?.holder === holder) rmSync(folder, { recursive: true, force: true });
  }
}
