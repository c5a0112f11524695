import { systemClock } from '../platform/clock.ts';
import { logFor } from '../platform/log.ts';
import { clientRegistrationsIn } from '../store/directory/client-registrations.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { usersIn } from '../store/directory/users.ts';
import { fillToken } from './fill-token.ts';

const table = directoryTable();

export const handler = fillToken({ users: usersIn(table), registrations: clientRegistrationsIn(table, systemClock), log: logFor('pre-token') });
