import { mailFeedback } from '../../contract/admin/mail-feedback.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { feedbackIn } from '../store/sending/mail-feedback.ts';
import { sendingTable } from '../store/sending/sending-table.ts';
import { mailFeedbackMethods } from './methods.ts';

export const handler = serve(mailFeedback, mailFeedbackMethods(feedbackIn(sendingTable())), adminConnections(mailFeedback.name, directoryTable()));
