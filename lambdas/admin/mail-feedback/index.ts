import { mailFeedback } from '../../../contract/admin/mail-feedback.ts';
import { serve } from '../../../core/rpc/admin-pipe.ts';
import { adminConnections } from '../../../core/rpc/admin-connections.ts';
import { directoryTable } from '../../../core/directory/directory-table.ts';
import { mailFeedbackIn } from '../../../core/sending/mail-feedback.ts';
import { setting } from '../../../core/runtime/settings.ts';
import { dynamodbTable } from '../../../core/storage/dynamodb-table.ts';
import { mailFeedbackMethods } from './methods.ts';

export const handler = serve(mailFeedback, mailFeedbackMethods(mailFeedbackIn(dynamodbTable(setting('sendingTable')))), adminConnections(mailFeedback.name, directoryTable()));
