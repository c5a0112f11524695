import { systemClock } from '../../core/runtime/clock.ts';
import { logFor } from '../../core/runtime/log.ts';
import { clientRegistrationsIn } from '../../core/directory/client-registrations.ts';
import { directoryTable } from '../../core/directory/directory-table.ts';
import { usersIn } from '../../core/directory/users.ts';
import { fillToken } from './fill-token.ts';

const table = directoryTable();

export const handler = fillToken({ users: usersIn(table), registrations: clientRegistrationsIn(table, systemClock), log: logFor('pre-token') });
