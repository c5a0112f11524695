import { Logger } from '@aws-lambda-powertools/logger';

/** One JSON line a record. Never an address, a subject, a token or a message's content: ids and counts only. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'appendKeys' | 'resetKeys' | 'addContext'>;

/** The logger of one Lambda, named after its folder. */
export const logFor = (serviceName: string): Log => new Logger({ serviceName });
