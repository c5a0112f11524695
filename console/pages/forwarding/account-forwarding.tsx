import { SpaceBetween } from '@cloudscape-design/components';
import { useAdminMutation, useAdminQuery } from '../../api/admin-api.tsx';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { Details } from '../../parts/text/details.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { fieldWords } from '../../words/fields.ts';
import { forwardingWords } from '../../words/pages/forwarding.ts';
import { AddressesInput, ForwardAddresses, type Forwarding } from './forward-addresses.tsx';

type AccountProps = { readonly accountId: string; readonly name: string };

const Actions = ({ accountId, name, forwarding: { addresses, keep_copy } }: AccountProps & { readonly forwarding: Forwarding }) => {
  const end = useAdminMutation('aliases', 'DeleteForwarding');
  const isOn = addresses.length > 0;
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <DialogButton needs={['aliases', 'PutForwarding']} text={isOn ? forwardingWords.change : forwardingWords.begin}>
        {(onClose) => (
          <FormDialog
            title={forwardingWords.begin}
            description={forwardingWords.text}
            service="aliases"
            method="PutForwarding"
            fixed={{ account_id: accountId }}
            // Not `initial`: a call without addresses would end the forwarding.
            suggested={{ addresses: isOn ? addresses.map(({ email }) => email) : undefined, keep_copy }}
            inputs={{ addresses: AddressesInput }}
            required={() => ['addresses']}
            done={() => ({ title: forwardingWords.saved(name) })}
            onClose={onClose}
          />
        )}
      </DialogButton>
      <DialogButton needs={['aliases', 'DeleteForwarding']} text={forwardingWords.end} isHidden={!isOn}>
        {(onClose) => (
          <Confirm
            title={forwardingWords.endTitle}
            consequences={forwardingWords.endText}
            actionText={forwardingWords.endTitle}
            onConfirm={() => end.mutateAsync({ account_id: accountId })}
            done={forwardingWords.ended(name)}
            onClose={onClose}
          />
        )}
      </DialogButton>
    </SpaceBetween>
  );
};

/** Where an account forwards its mail, and the buttons that change it. */
export const AccountForwarding = ({ accountId, name }: AccountProps) => {
  const query = useAdminQuery('aliases', 'GetForwarding', { account_id: accountId });
  return (
    <QueryView query={query}>
      {({ forwarding }) => (
        <Details
          title={forwardingWords.title}
          actions={<Actions accountId={accountId} name={name} forwarding={forwarding} />}
          details={
            forwarding.addresses.length === 0
              ? [{ label: forwardingWords.addresses, value: forwardingWords.none }]
              : [
                  { label: forwardingWords.addresses, value: <ForwardAddresses addresses={forwarding.addresses} /> },
                  { label: fieldWords.of('keep_copy').label, value: forwarding.keep_copy ? forwardingWords.keepsCopy : forwardingWords.keepsNoCopy },
                ]
          }
        />
      )}
    </QueryView>
  );
};
