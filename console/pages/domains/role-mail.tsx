import { Alert } from '@cloudscape-design/components';
import { localPartOf } from '../../../contract/values/mail-address.ts';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { UserSelect } from '../../parts/objects/selects.tsx';
import { domainWords } from '../../words/pages/domains.ts';
import type { Domain } from './domain-records.ts';

const { roleMail: texts } = domainWords;

/** Says which role addresses of a domain nobody reads, and creates a mailbox for the first of them. Shows nothing if all are read. */
export const RoleMailUnread = ({ domain: { id, role_mail: roleMail } }: { readonly domain: Domain }) => {
  const unread = roleMail.filter(({ account_email: email }) => email === undefined).map(({ address }) => address);
  const [first] = unread;
  if (first === undefined) return null;
  return (
    <Alert
      type="warning"
      header={texts.unread(unread.join(', '))}
      action={
        <DialogButton needs={['accounts', 'CreateAccount']} text={texts.create}>
          {(onClose) => (
            <FormDialog
              title={texts.create}
              submitText={texts.create}
              description={texts.createText}
              service="accounts"
              method="CreateAccount"
              fields={['user_id', 'name', 'local_part']}
              inputs={{ user_id: UserSelect }}
              fixed={{ domain_id: id }}
              suggested={{ name: texts.name, local_part: localPartOf(first) }}
              done={({ account }) => ({ title: texts.created(account.email) })}
              onClose={onClose}
            />
          )}
        </DialogButton>
      }
    >
      {texts.text}
    </Alert>
  );
};
