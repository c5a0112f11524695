import { mailFeedback } from '../../../contract/admin/mail-feedback.ts';
import { adminProtectionIn } from '../../../core/directory/users/admin-protection.ts';
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
const directory = dynamodbTable(setting('directoryTable'));
const connections = {
  admins: adminProtectionIn(directory),
  feedback: mailFeedbackIn(table),
  sentMail: sentMailIndexIn(table),
  submissions: submissionsIn(table),
  recordsSubjects: setting('recordSubjects') === 'true',
  received: table,
  mail: dynamodbTable(setting('mailTable')),
  clock: systemClock,
};

/** The Lambda of /mail-feedback. */
export const handler = invoked(serve(mailFeedback, mailFeedbackService(connections), adminDependencies(mailFeedback.name, directory)));
