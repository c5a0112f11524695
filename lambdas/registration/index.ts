import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '../platform/clock.ts';
import { configured } from '../platform/configuration.ts';
import { logFor } from '../platform/log.ts';
import { cognitoClientRegistrar } from '../providers/cognito-client-registrar.ts';
import { clientRegistrationsIn } from '../store/directory/client-registrations.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { notOffered, registrationAnswerer } from './answer.ts';

const offered = () => registrationAnswerer({
  registrations: clientRegistrationsIn(directoryTable(), systemClock),
  registrar: cognitoClientRegistrar(configured('userPoolId')),
  clock: systemClock,
  pause: (milliseconds) => pause(milliseconds),
  newHolder: randomUUID,
  log: logFor('registration'),
});

/** POST /oauth/register. */
export const handler = configured('dynamicRegistration') === 'true' ? offered() : notOffered;
