import { mailFeedback } from '../../../contract/admin/mail-feedback.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { setting } from '../../../core/runtime/settings.ts';
import { mailFeedbackIn } from '../../../core/sending/mail-feedback.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb-table.ts';
import { mailFeedbackService } from './mail-feedback-service.ts';

const connections = { feedback: mailFeedbackIn(dynamodbTable(setting('sendingTable'))) };

/** The Lambda of /mail-feedback. */
export const handler = serve(
  mailFeedback,
  mailFeedbackService(connections),
  adminConnections(mailFeedback.name, dynamodbTable(setting('directoryTable'))),
);
