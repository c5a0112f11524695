import { mailFeedback } from '../../contract/admin/mail-feedback.ts';
import { serve } from '../platform/admin-pipe.ts';
import { adminConnections } from '../store/directory/admin-connections.ts';
import { directoryTable } from '../store/directory/directory-table.ts';
import { mailFeedbackMethods } from './methods.ts';

export const handler = serve(mailFeedback, mailFeedbackMethods(), adminConnections(mailFeedback.name, directoryTable()));
