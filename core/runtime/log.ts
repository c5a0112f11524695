import { Logger } from '@aws-lambda-powertools/logger';

/** A structured log. Records have ids and counts only: no address, subject, token or content of a message. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'appendKeys' | 'resetKeys' | 'addContext'>;

/** The logger of one Lambda, named after its folder. */
export const logFor = (serviceName: string): Log => new Logger({ serviceName });
