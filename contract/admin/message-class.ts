import type * as z from 'zod';
import { enumeration } from '../fields.ts';

/** Why a mail is sent: a recipient who complains about one class still gets the others. */
export const MessageClass = enumeration('MessageClass', ['TRANSACTIONAL', 'MAILING_LIST', 'BULK']);
export type MessageClass = z.output<typeof MessageClass>;
