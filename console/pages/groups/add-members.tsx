import { Alert, Button, Form, FormField, Modal, ProgressBar, SpaceBetween, Textarea } from '@cloudscape-design/components';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callMethod, useAdminClient } from '../../api/admin-api.tsx';
import { isThrottled, retryDelay, shownError } from '../../api/errors.ts';
import { ErrorText } from '../../parts/text/error-text.tsx';
import { Isolated } from '../../parts/text/isolated.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { groupWords } from '../../words/pages/groups.ts';
import { words } from '../../words/words.ts';
import { addAddresses, typedAddresses, type RefusedAddress } from './add-addresses.ts';
import type { Group } from './groups-page.tsx';

/** The addresses that were not added, each reason once. */
const Refused = ({ refused }: { readonly refused: readonly RefusedAddress[] }) => (
  <Alert type="error" header={groupWords.refused}>
    <SpaceBetween size="xs">
      {[...Map.groupBy(refused, ({ error }) => error)].map(([error, addresses], index) => (
        <div key={index}>
          {addresses.map(({ address }) => (
            <div key={address}>
              <b>
                <Isolated>{address}</Isolated>
              </b>
            </div>
          ))}
          {error === undefined ? groupWords.noAddress : <ErrorText error={shownError(error)} />}
        </div>
      ))}
    </SpaceBetween>
  </Alert>
);

/** Adds the typed addresses in several calls. Those that were not added stay typed. */
const useAdding = ({ group_id, member_count: before }: Group, onClose: () => void) => {
  const client = useAdminClient();
  const queries = useQueryClient();
  const { notify } = useNotifications();
  const [text, setText] = useState('');
  const [progress, setProgress] = useState<{ readonly done: number; readonly all: number }>();
  const [refused, setRefused] = useState<readonly RefusedAddress[]>([]);
  const [failure, setFailure] = useState<unknown>();
  const { mutateAsync } = useMutation({
    mutationFn: (addresses: readonly string[]) => callMethod(client, 'aliases', 'AddGroupMembers', { group_id, addresses: [...addresses] }),
    retry: isThrottled,
    retryDelay,
  });
  const submit = async (): Promise<void> => {
    const typed = typedAddresses(text);
    if (progress || typed.length === 0) return;
    const added = new Set<string>();
    let count = before;
    setProgress({ done: 0, all: typed.length });
    setRefused([]);
    setFailure(undefined);
    try {
      const left = await addAddresses(typed, {
        add: async (addresses) => {
          const { group } = await mutateAsync(addresses);
          count = group.member_count;
        },
        noteAdded(addresses) {
          for (const address of addresses) added.add(address);
          setProgress({ done: added.size, all: typed.length });
        },
      });
      setRefused(left);
    } catch (error) {
      setFailure(error);
    }
    setProgress(undefined);
    setText(typed.filter((each) => !added.has(each)).join('\n'));
    if (added.size > 0) notify({ type: 'success', title: count > before ? groupWords.added(count - before) : groupWords.nobodyNew });
    if (added.size === typed.length) onClose();
    await queries.invalidateQueries();
  };
  return { text, setText, progress, refused, failure, submit };
};

/** Adds any number of members to a group by their addresses. */
export const AddMembers = ({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) => {
  const { text, setText, progress, refused, failure, submit } = useAdding(group, onClose);
  // What was not added would be lost.
  const close = (): void => {
    if (!progress) onClose();
  };
  return (
    <Modal visible header={groupWords.addMembers} onDismiss={close} closeAriaLabel={words.panel.close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Form
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button formAction="none" variant="link" disabled={progress !== undefined} onClick={close}>
                {words.form.cancel}
              </Button>
              <Button variant="primary" formAction="submit" loading={progress !== undefined}>
                {groupWords.addMembers}
              </Button>
            </SpaceBetween>
          }
        >
          <SpaceBetween size="m">
            <FormField label={groupWords.addresses} description={groupWords.addText}>
              <Textarea value={text} rows={6} spellcheck={false} readOnly={progress !== undefined} onChange={({ detail }) => setText(detail.value)} />
            </FormField>
            {progress && (
              <ProgressBar
                label={groupWords.addMembers}
                value={(100 * progress.done) / progress.all}
                additionalInfo={groupWords.adding(progress.done, progress.all)}
              />
            )}
            {refused.length > 0 && <Refused refused={refused} />}
            {failure !== undefined && (
              <Alert type="error" header={shownError(failure).title}>
                <ErrorText error={shownError(failure)} />
              </Alert>
            )}
          </SpaceBetween>
        </Form>
      </form>
    </Modal>
  );
};
