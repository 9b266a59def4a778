'use strict';

const axios = require('axios');
const nodemailer = require('nodemailer');
const uuid = require('uuid/v4');
const stripe = require('stripe')(process.env.STRIPE_KEY);

const { findBook } = require('./catalogue');

const mail = nodemailer.createTransport(process.env.SMTP_URL);

async function placeOrder({ book: bookId, email, payment }) {
  const book = await findBook(bookId);
  if (book === null) throw new Error(`no book ${bookId}`);
  const id = uuid();
  await stripe.paymentIntents.create({
    amount: book.cents,
    currency: 'eur',
    payment_method: payment,
    confirm: true,
  });
  await axios.post(process.env.WAREHOUSE_URL, { id, isbn: book.isbn });
  await mail.sendMail({ to: email, subject: `Order ${id}`, text: `Thank you for ordering ${book.title}.` });
  return { id };
}

module.exports = { placeOrder };
