import { mailFeedback } from '../../../contract/admin/mail-feedback.ts';
import { adminDependencies } from '../../../core/rpc/admin-dependencies.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { setting } from '../../../core/runtime/lambda/settings.ts';
import { mailFeedbackIn } from '../../../core/sending/feedback/mail-feedback.ts';
import { sentMailIndexIn } from '../../../core/sending/submission/sent-mail-index.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb/dynamodb-table.ts';
import { mailFeedbackService } from './mail-feedback-service.ts';

const table = dynamodbTable(setting('sendingTable'));
const connections = {
  feedback: mailFeedbackIn(table),
  sentMail: sentMailIndexIn(table),
  submissions: submissionsIn(table),
  recordsSubjects: setting('recordSubjects') === 'true',
  received: table,
  mail: dynamodbTable(setting('mailTable')),
  clock: systemClock,
};

/** The Lambda of /mail-feedback. */
export const handler = invoked(
  serve(mailFeedback, mailFeedbackService(connections), adminDependencies(mailFeedback.name, dynamodbTable(setting('directoryTable')))),
);
