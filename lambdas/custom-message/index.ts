import type { CustomMessageTriggerEvent } from 'aws-lambda';
import { receivesMailIn } from '../../core/directory/aliases/receiving-addresses.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { mfaSetting, setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { withInvitation } from './invitation-message.ts';
import { refuseMailbox } from './refuse-mailbox.ts';
import { withResetCode } from './reset-code-message.ts';

const checked = refuseMailbox({ receivesMail: receivesMailIn(dynamodbTable(setting('directoryTable'))), log: logFor('custom-message') });
const deployment = { mailDomain: setting('mailDomain'), mfa: mfaSetting() };

/** Cognito's custom-message trigger. */
export const handler = invoked(async (event: CustomMessageTriggerEvent): Promise<CustomMessageTriggerEvent> =>
  withResetCode(withInvitation(await checked(event), deployment), deployment),
);
