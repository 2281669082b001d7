// Which hosts are this machine itself, so that what is sent to them needs no encryption: one rule for all that sends or listens.

const BYTE = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const HOST = new RegExp(`^(?:localhost|::1|\\[::1\\]|127(?:\\.${BYTE}){3})$`);

/** @param host as a URL or a command names it; another name may lead anywhere */
export const isLoopback = (host: string): boolean => HOST.test(host);
