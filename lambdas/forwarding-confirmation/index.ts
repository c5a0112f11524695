import { forwardingsIn } from '../../core/directory/forwarding/forwardings.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { confirmationHandler } from './confirmation-handler.ts';

const directory = dynamodbTable(setting('directoryTable'));

/** GET and POST /forwarding. */
export const handler = invoked(
  confirmationHandler({
    directory,
    forwardings: forwardingsIn(directory),
    mayForwardOutside: setting('forwardOutside') === 'true',
    clock: systemClock,
    log: logFor('forwarding-confirmation'),
  }),
);
