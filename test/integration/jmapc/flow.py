"""What a mail program does with the published library jmapc. Prints what it saw as one line of JSON.

Arguments: the host of the session, a word of a message with an attachment, and the addresses of the sender and a recipient.
The environment has the access token in JMAP_TOKEN.
"""

import json
import os
import sys

from jmapc import Client, Comparator, Email, EmailAddress, EmailBodyPart, EmailBodyValue, EmailQueryFilterCondition, MailboxQueryFilterCondition, Ref
from jmapc.methods import (
    EmailGet, EmailQuery, EmailQueryChanges, EmailSet, EmailSubmissionSet, IdentityGet, MailboxGet, MailboxQuery, ThreadGet,
)
from jmapc.models import EmailSubmission

host, word, sender, recipient = sys.argv[1:5]
client = Client.create_with_api_token(host=host, api_token=os.environ["JMAP_TOKEN"])


def responses(*methods):
    """Calls the methods in one request. Raises an error if one of them fails."""
    return [each.response for each in client.request(list(methods), raise_errors=True)]


def mailbox_of(role):
    (query,) = responses(MailboxQuery(filter=MailboxQueryFilterCondition(role=role)))
    return query.ids[0]


def newest(**condition):
    return EmailQuery(filter=EmailQueryFilterCondition(**condition), sort=[Comparator(property="receivedAt", is_ascending=False)], limit=10)


def without_errors(response):
    errors = [response.not_created, response.not_updated, response.not_destroyed]
    if any(errors):
        raise RuntimeError(str(errors))
    return response


inbox, drafts, sent = mailbox_of("inbox"), mailbox_of("drafts"), mailbox_of("sent")
_, mailboxes = responses(MailboxQuery(sort=[Comparator(property="name")]), MailboxGet(ids=Ref("/ids")))

found, emails, _ = responses(
    newest(in_mailbox=inbox, text=word),
    EmailGet(ids=Ref("/ids"), properties=["id", "threadId", "subject", "keywords", "textBody", "attachments", "bodyValues"], fetch_text_body_values=True),
    ThreadGet(ids=Ref("/list/*/threadId")),
)
(original,) = emails.data

without_errors(*responses(EmailSet(update={original.id: {"keywords/$seen": True, "keywords/$flagged": True}})))
without_errors(*responses(EmailSet(update={original.id: {"keywords/$flagged": None}})))
_, flagged = responses(newest(in_mailbox=inbox, text=word, has_keyword="$seen"), EmailGet(ids=Ref("/ids"), properties=["keywords"]))

# The attachments are the objects that EmailGet returned: with the partId, the size and the charset of the original.
forward = Email(
    mailbox_ids={drafts: True}, keywords={"$draft": True}, subject=f"Fwd: {original.subject}",
    mail_from=[EmailAddress(email=sender)], to=[EmailAddress(email=recipient)],
    text_body=[EmailBodyPart(part_id="forward", type="text/plain")], body_values={"forward": EmailBodyValue(value="See the file.")},
    attachments=original.attachments,
)
created = without_errors(*responses(EmailSet(create={"forward": forward}))).created["forward"]
(identities,) = responses(IdentityGet(ids=None))
submission = EmailSubmission(email_id=created.id, identity_id=identities.data[0].id)
responses(EmailSubmissionSet(
    create={"sending": submission}, on_success_update_email={"#sending": {f"mailboxIds/{drafts}": None, f"mailboxIds/{sent}": True, "keywords/$draft": None}},
))
_, sent_emails = responses(newest(in_mailbox=sent), EmailGet(ids=Ref("/ids"), properties=["id", "subject", "attachments"]))
(changes,) = responses(EmailQueryChanges(
    filter=EmailQueryFilterCondition(in_mailbox=inbox, text=word), sort=[Comparator(property="receivedAt", is_ascending=False)],
    since_query_state=found.query_state,
))
without_errors(*responses(EmailSet(destroy=[created.id])))

(forwarded,) = [email for email in sent_emails.data if email.id == created.id]
print(json.dumps({
    "mailboxes": [mailbox.name for mailbox in mailboxes.data],
    "subject": original.subject,
    "text": original.body_values[original.text_body[0].part_id].value,
    "keywords": [email.keywords for email in flagged.data],
    "forwarded": {"subject": forwarded.subject, "attachments": [[part.name, part.type, part.size] for part in forwarded.attachments]},
    "isChanged": changes.new_query_state != found.query_state,
}))
